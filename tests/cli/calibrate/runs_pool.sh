# Runs of other seeds are pooled; the same simulated run again is no fresh comparison.
export XDG_CACHE_HOME=$PWD/cache
assay calibrate --device sim:promise --only p0 --runs 2 --json >two.json || exit
assay calibrate --device sim:promise --only p0 --json >again.json || exit
report_of calibrate --device sim:promise --only p0 --seed 7 --output seven.json | grep -E '^(pooled|False|By)'
for file in two again seven; do
    grep -A3 '"false_accusations"' $file.json | tr -d '\n '; echo
done
find runs -name result.json | wc -l
