# Between processes that spread by 8 % nothing is sure, and it says so.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
history 8 4 2
report_of bisect good..HEAD --device sim:drifting --problem scale/fp32/n64 >out; code=$?
sed -n 2p out | sed -E 's/\(after .*\):/(...):/'
exit $code
