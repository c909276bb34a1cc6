// SPDX-License-Identifier: Apache-2.0
//
// Programmatic dependent launch: every launch lets the next one begin at once, and none waits for the one
// before.
#include "broken.cuh"

__global__ static void rows_at_once(const struct broken_args a) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    broken_row<>(a, blockIdx.x);
}

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(broken_blocks(b));
    config.blockDim = dim3(32);
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    (void)cudaLaunchKernelEx(&config, rows_at_once, b->args);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
