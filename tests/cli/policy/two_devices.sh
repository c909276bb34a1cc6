# Without --device the kernel on trial chooses it: a candidate that names a kernel of another device does not turn the gate away
# from the baseline's.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; sed -i 's/^  mine:/  fa: {operator: attention, backend: cuda, library: fa.so}\n&/; s/candidate: mine/candidate: fa/' assay.yaml; git commit -qam gpu
sed -i 's/candidate: fa/candidate: mine/' assay.yaml
assay gate --baseline git:HEAD; code=$?
assay gate --baseline git:HEAD --candidate mine --dry-run | grep -E '^(policy|candidate)'
exit $code
