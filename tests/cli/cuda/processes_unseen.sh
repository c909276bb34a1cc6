# A container whose driver lists no process at all: how many others there are is not known, and that is said once.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
FAKE_NVML=own=hidden ends_with 0 assay bench $small
says "the driver lists no process on cuda:0 although this one uses it"
grep -q '"other_process_count"' runs/*/result.json && complain "a count is in the result"
exit $failed
