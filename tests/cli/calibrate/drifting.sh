# A machine that cannot certify the default threshold: calibrate says so, and a gate on it does not pretend to.
export XDG_CACHE_HOME=$PWD/cache
assay calibrate --device sim:drifting --quiet | tail -1
[ "${PIPESTATUS[0]}" = 3 ] || { echo "calibrate ended otherwise"; exit 1; }
assay gate --device sim:drifting --candidate sim_slower5 --baseline sim --no-check
code=$?
[ "$(find runs -path '*gate*' -name result.json | wc -l)" = 1 ] || echo "the refused gate left no result"
grep -q '"verdict": "undecidable"' runs/*gate*/result.json || echo "its result does not say so"
assay gate --resume last --json | grep -q 'nothing was measured' || echo "resumed, it measures"
exit $code
