# compute-sanitizer and ncu wait for ever for a process of the sandbox: what to add is said before one is started.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_FAKE_CUDA=l2_kib=64
followed="env NVIDIA-PROCESS-TRACKING-CONFIGURATION=blocking-rpc-events: assay fuzz --device cuda:0 --module $kernel"
ends_with 69 $followed --problem attention/fp16/b1/h2/s48/d32
says "compute-sanitizer and ncu cannot follow a kernel into its sandbox: add --isolation none, for kernels that you trust"
ends_with 0 $followed --isolation none --problem attention/fp16/b1/h2/s48/d32
says "1/1 libfake_cuda_attention.so"
