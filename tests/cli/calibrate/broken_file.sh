# A stored calibration that cannot be read is an error of calibrate, before anything is measured; a gate warns and measures.
# So it is with one of version 1, where a problem's name may stand for any input distribution.
export XDG_CACHE_HOME=$PWD/cache
assay calibrate --device sim:steady --only p0 --quiet >/dev/null || exit
file=$(echo cache/assay/calibrations/*.json)
echo '{"kind": "assay.calibration", "schema_version": 1}' >"$file"
assay gate --device sim:steady --only p0 --candidate sim --baseline sim --measure-same --no-check >gate.out; echo "gate: $?"
grep -o 'warning: the calibration was not used.*' gate.out
rm -r runs
report_of calibrate --device sim:steady --only p0 --seed 7
code=$?
echo "rounds measured: $(cat runs/*calibrate*/journal.jsonl | grep -c '"kind":"sample')"
exit $code
