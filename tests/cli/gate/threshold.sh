. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; slow_down; assay gate --baseline git:HEAD --regression -5; code=$?
[ -e runs ] && exit 9 # something was measured
exit $code
