# What is stored and cannot be read is an error of calibrate; a gate warns and measures.
export XDG_CACHE_HOME=$PWD/cache
assay calibrate --device sim:steady --only p0 --quiet >/dev/null || exit
file=$(echo cache/assay/calibrations/*.json)
echo '{"kind": "assay.calibration", "schema_version": 9}' >"$file"
assay gate --device sim:steady --only p0 --candidate sim --baseline sim --measure-same --no-check >gate.out; echo "gate: $?"
grep -o 'warning: the calibration was not used.*' gate.out
assay calibrate --device sim:steady --only p0 --quiet --seed 7
