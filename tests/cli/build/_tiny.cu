// SPDX-License-Identifier: Apache-2.0
//
// The least CUDA module that declares a kernel: it compiles in a second and is never run.
#include <assay/kernel.h>

#ifndef SCALE
#define SCALE 3
#endif

static __global__ void tiny(float *y) {
    float x = y[threadIdx.x];
    y[threadIdx.x] = x * SCALE;
}

static int tiny_supports(const struct assay_problem *, struct assay_message *) {
    return 0;
}

static int tiny_launch(void *, const struct assay_tensors *tensors, void *, void *stream,
                       struct assay_message *) {
    tiny<<<1, 32, 0, static_cast<cudaStream_t>(stream)>>>(
        static_cast<float *>(assay_tensor_at(tensors, 0)->data));
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

static const struct assay_kernel kernels[] = {{sizeof(struct assay_kernel), ASSAY_ABI_VERSION, "tiny",
                                               "attention", "cuda", tiny_supports, tiny_launch, nullptr,
                                               nullptr, nullptr, 0, 0, nullptr, nullptr}};
ASSAY_MODULE(kernels)
