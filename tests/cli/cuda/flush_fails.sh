# slow: a measurement that does not count is repeated three times
# Cold times are requested and the cache cannot be flushed: no numbers, with the driver's message.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
ASSAY_FAKE_CUDA=$ASSAY_FAKE_CUDA,fail=ctx_reset_persisting_l2:0:999 ends_with 3 assay bench $small --cache cold
says "INVALID"
says "the cache could not be emptied before a cold sample"
grep -q '"invalid_cause": "not_cold"' runs/*/result.json || complain "the cause is not in the result"
exit $failed
