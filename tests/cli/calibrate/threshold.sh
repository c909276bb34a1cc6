# slow with sanitizers: others take its branches, most of them calibrate/page, calibrate/steady and calibrate/kernels_apart
# Runs at a coarse threshold do not lower the bound on false alarms: comparisons are always judged at 3 %. The report names the
# threshold requested.
export XDG_CACHE_HOME=$PWD/cache
report_of calibrate --device sim:drifting --only p0,p1 --regression 50 --runs 2 --seed 5 >coarse
grep -E '^(False|Detected)' coarse
assay calibrate --device sim:drifting --only p0,p1 --rounds 19 --seed 9 --json | grep '"comparison_count"' | head -1
report_of calibrate --device sim:steady --only p0,p1 --regression 1.9 | tail -1; echo "${PIPESTATUS[0]}"
