try() { assay calibrate --device sim:steady "$@" 2>&1 | sed 's/^assay: //'; echo "${PIPESTATUS[0]}"; }
try --rounds 4
try --rounds 1001
try --runs 0
try --regression 0
try --resume last --runs 2
try --kernel nosuch
assay calibrate --device sim:steady --only p0,p1 --rounds 7 --dry-run
[ -e runs ] && echo "a dry run left something"
exit 0
