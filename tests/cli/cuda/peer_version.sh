# cuDNN is named with the version that was loaded, in lists and in results; another one than the one asked for is an error.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_CUDNN=$fakes/libfake_cudnn.so
[ -e "$ASSAY_CUDNN" ] || { echo "SKIPPED: $ASSAY_CUDNN is not built"; exit 0; }
# Without isolation: a host does not see FAKE_CUDNN.
one="--isolation none --device cuda:0 --problem attention/fp16/b1/h1/s32/d16" # it computes nothing there: what it is called is the point
for version in 9.14.0 9.19.0; do
    export FAKE_CUDNN=version=9${version:2:2}00
    ends_with 0 assay list peers --device cuda:0
    says "cudnn@$version "
    ends_with 1 assay fuzz --kernel cudnn $one
    says "0/1 cudnn@$version: 1 failed"
done
ends_with 1 assay fuzz --kernel cudnn@9.19 $one
says "0/1 cudnn@9.19.0: 1 failed"
ends_with 69 assay fuzz --kernel cudnn@9.14 $one
says "peer 'cudnn' is version 9.19.0 here, not 9.14;"
ends_with 69 assay bench --module $kernel --vs cudnn@9.14 $one
says "peer 'cudnn' is version 9.19.0 here, not 9.14;"
exit $failed
