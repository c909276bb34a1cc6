// SPDX-License-Identifier: Apache-2.0
//
// Shared by our device kernels: how a kernel is declared, and its index among all threads of the grid.
#ifndef DEVICE_DEVICE_KERNEL_ENTRY_CUH
#define DEVICE_DEVICE_KERNEL_ENTRY_CUH

#include <stdint.h>

// Kernel assay_<name> with one parameter, a struct dev_<name> by value.
#define ENTRY(name) extern "C" __global__ void assay_##name(const __grid_constant__ struct dev_##name args)

static __device__ __forceinline__ uint64_t thread_first() {
    return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ uint64_t thread_count() {
    return static_cast<uint64_t>(gridDim.x) * blockDim.x;
}

#endif
