# Rounds that agree exactly do not detect "0 %".
export XDG_CACHE_HOME=$PWD/cache
printf 'version: 1\ndevices:\n  "sim:flat":\n    noise: {cv_pct: 0}\n' >assay.yaml
report_of calibrate --device sim:flat --only p0,p1 | grep -E '^(p[0-9]|this)'
report_of gate --device sim:flat --only p0 --no-check --candidate sim --baseline sim --measure-same | grep 'calibrated:'
