# An interrupted run is resumed where it stopped, and is one study.
export XDG_CACHE_HOME=$PWD/cache
assay calibrate --device sim:steady --only p0 --quiet >/dev/null || exit
journal=$(echo runs/*/journal.jsonl)
head -c $(($(stat -c %s "$journal") / 2)) "$journal" >cut && cp cut "$journal" && rm runs/*/result.json cache/assay/calibrations/*.json
report_of calibrate --resume last | grep -E '^(measured|p0|this)'
assay calibrate --resume last --json | grep -A3 '"false_accusations"'
assay bench --resume last
