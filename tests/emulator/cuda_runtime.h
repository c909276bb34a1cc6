// SPDX-License-Identifier: Apache-2.0
//
// The runtime functions that the kernels' host parts call, for a device of compute capability 9.0 with only 4
// multiprocessors, so that persistent thread blocks have several tiles each.
#ifndef EMULATOR_CUDA_RUNTIME_H
#define EMULATOR_CUDA_RUNTIME_H

#include "cuda.h"

typedef int cudaError_t;
typedef void *cudaStream_t;
enum { cudaSuccess, cudaErrorInvalidValue, cudaErrorLaunchFailure = 719 };
enum cudaDeviceAttr {
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrL2CacheSize,
    cudaDevAttrMaxSharedMemoryPerBlockOptin
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct cudaFuncAttributes {
    int maxDynamicSharedSizeBytes;
};
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };
enum { cudaEnableDefault };

struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        struct {
            unsigned x, y, z;
        } clusterDim;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

cudaError_t cudaDeviceGetAttribute(int *ret, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **ret, unsigned version, int flags,
                                             cudaDriverEntryPointQueryResult *ret_found);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *ret, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaOccupancyMaxActiveClusters(int *ret, const void *kernel, const cudaLaunchConfig_t *config);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments);
cudaError_t cudaGetLastError();
const char *cudaGetErrorString(cudaError_t code); // of the last launch that failed
const char *cudaGetErrorName(cudaError_t code);

// Defined by the module: calls a device function with its one argument by value.
void emulator_call(const void *kernel, const void *argument);

#endif
