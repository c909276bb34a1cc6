# The oracle that is checked when no kernel is named; a named library that is missing ends the command before anything is
# measured.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_FAKE_CUDA=l2_kib=64,call_ns=20000 ASSAY_CUDNN=$fakes/libfake_cudnn.so
[ -e "$ASSAY_CUDNN" ] || { echo "SKIPPED: $ASSAY_CUDNN is not built"; exit 0; }
one="--problem attention/fp32/b1/h1/s32/d16"
ends_with 2 assay fuzz --device cuda:0 $one
says "0/1 oracle (cudnn): 1 unsupported"
says "skipped: no kernel"
ends_with 2 assay fuzz --oracle cudnn $one
says "oracle (cudnn)"
ends_with 2 assay fuzz --device cuda:0 --oracle float64 $one
says "1/1 oracle"
says "on the processor"
says_not "cudnn"
ends_with 0 assay fuzz --oracle cudnn --module $kernel $one
says "1/1 libfake_cuda_attention.so"
says "0/1 oracle (cudnn): 1 unsupported"
export ASSAY_CUDNN=/no/such/libcudnn.so
for command in "bench --module $kernel --vs cudnn" "bench --kernel cudnn" "fuzz --oracle cudnn" "gate --candidate cudnn --baseline cudnn"; do
    ends_with 69 assay $command --device cuda:0 $one
    says "cudnn: cuDNN is not there (/no/such/libcudnn.so"
done
[ ! -e runs ] || [ -z "$(find runs -name result.json -newer err)" ] || complain "something was measured"
printf 'version: 1\nkernels: {}\npython_interpreter: /no/such/python3\n' >assay.yaml
ends_with 2 assay fuzz --device cuda:0 $one
says "1/1 oracle"
exit $failed
