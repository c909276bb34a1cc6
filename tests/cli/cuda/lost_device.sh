# When a device falls off the bus its case is lost and the run ends with 69. Earlier checks are kept, and the run can be resumed
# when the device is back.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
printf 'version: 1\nsuites:\n  s: {problems: {a: attention/fp32/b1/h1/s32/d16, b: attention/fp32/b1/h1/s48/d16, c: attention/fp32/b1/h1/s64/d16}}\n' >assay.yaml
export ASSAY_FAKE_CUDA=lost=$PWD/off_the_bus
ASSAY_FAKE_ATTENTION=fault:999@48 ends_with 69 assay fuzz --isolation none --device cuda:0 --module $kernel --suite s
grep -q 's32/d16 \.\.\. PASS' out || complain "the first problem was not checked"
says "CUDA_ERROR_UNKNOWN"
says "CUDA_ERROR_NO_DEVICE"
rm off_the_bus
ends_with 1 assay fuzz --resume runs/*
says "2/3 libfake_cuda_attention.so: 1 failed"
exit $failed
