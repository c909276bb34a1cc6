# A suite that is not there is an error of usage on every day: with the same machine code too, and with --no-check.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
assay gate --baseline git:HEAD --check bondary 2>&1 | cut -d';' -f1 | sed 's/ Known.*//'
echo "exit ${PIPESTATUS[0]}"
assay gate --baseline git:HEAD --check bondary --no-check >/dev/null 2>&1
echo "exit $?"
assay gate --baseline mine --check bondary >/dev/null 2>&1
echo "exit $?"
assay gate --baseline git:HEAD --suite pt >/dev/null 2>&1
echo "exit $?"
report_of gate --baseline git:HEAD | sed -n 2p
