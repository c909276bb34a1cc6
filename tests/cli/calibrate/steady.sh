export XDG_CACHE_HOME=$PWD/cache
assay calibrate --device sim:steady || exit
grep -q '"kind": "assay.result"' runs/*/result.json && ls cache/assay/calibrations/sim-*-1.json >/dev/null && echo "kept"
report_of calibrate --device sim:steady --regression 1 | tail -1
