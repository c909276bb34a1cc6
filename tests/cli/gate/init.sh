# slow with sanitizers
# From an empty folder to a gate that passes: init, commit, check, an edit that changes machine code (once a row, which takes no time),
# gate; two minutes at most.
git init -q -b main . && git config user.email t@example.org && git config user.name tester
begin=$(date +%s)
assay init
git add -A && git commit -qm "first" && git ls-files
report_of fuzz --kernel mine --suite quick
sed -i 's|out\[d\] /= sum; // a row|out[d] /= sum + 0.0f; // a row|' kernels/mine.c && git diff --shortstat
report_of gate >report
code=$?
sed -n 2p report
[ $code = 0 ] || grep -E -A2 'FAIL|CRASHED|TIMEOUT' report # why
took=$(($(date +%s) - begin))
[ $took -lt 120 ] || { echo "took $took s"; exit 1; }
exit $code
