# A problem that does not fit is not valid, with what was asked for and what is free; the others are checked all the same.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
printf 'version: 1\nsuites:\n  s: {problems: {large: attention/fp32/b4/h8/s512/d64, small: attention/fp32/b1/h1/s32/d16}}\n' >assay.yaml
ASSAY_FAKE_CUDA=memory_mib=12 ends_with 3 assay fuzz --device cuda:0 --module $kernel --suite s
says "no memory for tensor '"
says "MiB asked for, "
says "of 12.0 MiB free on cuda:0: CUDA_ERROR_OUT_OF_MEMORY: out of memory; free memory of the device"
says "1/2 libfake_cuda_attention.so: 1 not valid"
grep -q 'd16 \.\.\. PASS' out || complain "the small problem was not checked"
ASSAY_FAKE_CUDA=fail=mem_create:2:2 ends_with 3 assay fuzz --device cuda:0 --module $kernel --suite s --only small
says "no memory for tensor 'q': 2.0 MiB asked for, "
exit $failed
