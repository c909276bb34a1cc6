# long: a measurement that does not count is repeated three times
# Another process on the device: no numbers, and the cause is named in the result.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
FAKE_NVML=processes=1 ends_with 3 assay bench $small
says "INVALID"
says "1 other process used the device"
grep -q '"invalid_cause": "other_process"' runs/*/result.json || complain "the cause is not in the result"
# One of a container that we cannot see counts; one that has no memory any more does not.
FAKE_NVML=unseen=1 ends_with 3 assay bench $small
FAKE_NVML=leaving=1 ends_with 0 assay bench $small
exit $failed
