# A kernel that the baseline's revision does not have: the baseline does not build, which is 3, also in JSON.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; sed -i 's/^  mine:/  other:/' assay.yaml; sed -i 's/candidate: mine/candidate: other/' assay.yaml
assay gate --baseline git:HEAD --json
