# slow with sanitizers: cuda/processes_unseen and bad_input/sample_text take its branches
# A GPU is listed and measured without NVML; the unknown figures are named. Without a driver one line says so.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_NVML=/no/such/libnvidia-ml.so
ends_with 0 assay devices
says "cuda:0  Fake GPU 0"
says "NVML cannot be loaded (/no/such/libnvidia-ml.so"
says "temperature, clocks, power and other users are not known"
says_not "other processes"
ends_with 0 assay bench $small
says_not "load of other programs is not known"
ASSAY_CUDA_DRIVER=/no/such/libcuda.so ends_with 0 assay devices
[ "$(grep -c '^cuda' out)" = 1 ] || complain "not one line for a missing driver"
says "cuda  not available: "
exit $failed
