# slow with sanitizers: others take its branches, most of them gate/rerun_count, policy/resume and calibrate/steady
# A machine that cannot detect the default threshold: calibrate says so, and a gate on it does not pretend to.
export XDG_CACHE_HOME=$PWD/cache
report_of calibrate --device sim:drifting | tail -1
[ "${PIPESTATUS[0]}" = 3 ] || { echo "calibrate ended otherwise"; exit 1; }
assay gate --device sim:drifting --candidate sim_slower5 --baseline sim --no-check
code=$?
echo "results of the refused gate: $(find runs -path '*gate*' -name result.json | wc -l)"
echo "undecidable there: $(grep -c '"verdict": "undecidable"' runs/*gate*/result.json)"
assay gate --resume last --json >again.json; echo "resumed: $?"
grep -q 'nothing was measured' again.json && echo "refused again when resumed"
exit $code
