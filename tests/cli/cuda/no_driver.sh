# Without a driver a run on a GPU ends with 69 and says what is missing; so does one whose driver cannot be used.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
run="assay bench --device cuda:0 --module $kernel --problem attention/fp32/b1/h1/s32/d16"
if ldconfig -p 2>/dev/null | grep -q libcuda.so.1; then
    echo "SKIPPED: a machine without a driver (this one has one); the other sentences are tested"
else
    ASSAY_CUDA_DRIVER="" ends_with 69 $run
    says "device 'cuda:0': no NVIDIA driver on this machine (libcuda.so.1"
fi
ASSAY_CUDA_DRIVER=/no/such/libcuda.so ends_with 69 $run
says "the CUDA driver of ASSAY_CUDA_DRIVER cannot be loaded: /no/such/libcuda.so"
ASSAY_CUDA_DRIVER=$fakes/libfake_cuda_lacking.so ends_with 69 $run
says "lacks the function cuGraphUpload: it is too old or not a driver; assay needs one for CUDA 12.0 or newer"
ASSAY_FAKE_CUDA=version=11080 ends_with 69 $run
says "the NVIDIA driver is too old: it knows CUDA 11.8, assay needs 12.0; install a newer one"
ASSAY_FAKE_CUDA=fail=init:1:802 ends_with 69 $run
says "the CUDA driver does not start: CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized"
says "fabric manager"
exit $failed
