# slow with sanitizers
# A launch that breaks the context is on record as that problem's, and the others are checked and measured in fresh workers.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
printf 'version: 1\nsuites:\n  s: {problems: {a: attention/fp32/b1/h1/s32/d16, b: attention/fp32/b1/h1/s48/d16, c: attention/fp32/b1/h1/s64/d16}}\n' >assay.yaml
run="--isolation none --device cuda:0 --module $kernel --suite s"
export ASSAY_FAKE_CUDA=l2_kib=64,call_ns=20000
ASSAY_FAKE_ATTENTION=fault:700@48 ends_with 1 assay fuzz $run
says "out_of_bounds: launch 1 returned ASSAY_FAILED (3): CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
says "repeat: assay fuzz --module $kernel --device cuda:0 --problem attention/fp32/b1/h1/s48/d16"
says "2/3 libfake_cuda_attention.so: 1 failed"
ASSAY_FAKE_ATTENTION=fault:716@48 ends_with 1 assay fuzz $run
says "out_of_bounds: launch 1"
ASSAY_FAKE_ATTENTION=fault:719@48 ends_with 1 assay fuzz $run
says "launch_failed: launch 1 returned ASSAY_FAILED (3): CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure; the kernel trapped"
says "2/3 libfake_cuda_attention.so: 1 failed"
# While it is timed:
ASSAY_FAKE_ATTENTION=worn:700@48 ends_with 1 assay bench $run --iters 20 --output result.json
says "CUDA_ERROR_ILLEGAL_ADDRESS"
grep -q '"finding": "out_of_bounds"' result.json || complain "the finding of a timed launch is not in the result"
[ "$(grep -c '] .  median ' out)" = 2 ] || { complain "not both other problems were measured"; cat out; }
exit $failed
