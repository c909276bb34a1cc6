# slow: twenty rounds at worst
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; assay gate --baseline git:HEAD --measure-same
