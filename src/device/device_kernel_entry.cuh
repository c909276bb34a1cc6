// SPDX-License-Identifier: Apache-2.0
//
// What the entries of our device kernels on the GPU share: how one is declared, and which threads there are.
#ifndef DEVICE_DEVICE_KERNEL_ENTRY_CUH
#define DEVICE_DEVICE_KERNEL_ENTRY_CUH

#include <stdint.h>

// assay_<name>, which takes struct dev_<name> by value.
#define ENTRY(name) extern "C" __global__ void assay_##name(const __grid_constant__ struct dev_##name args)

static __device__ __forceinline__ uint64_t thread_first() {
    return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ uint64_t thread_count() {
    return static_cast<uint64_t>(gridDim.x) * blockDim.x;
}

#endif
