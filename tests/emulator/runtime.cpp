// SPDX-License-Identifier: Apache-2.0
//
// CUDA runtime functions for the emulated device, whose launches are synchronous, and the encoder of tensor
// maps.
#include <map>
#include <string>

#include "cuda_runtime.h"

#define SHARED_BYTES_DEFAULT (48 * 1024) // of a thread block, unless a function asks for more

static std::string failure;
static std::map<const void *, int> shared_limits; // of functions that asked

static CUresult encode(CUtensorMap *ret, CUtensorMapDataType type, cuuint32_t, void *data,
                       const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box,
                       const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    *ret = {};
    ret->data = static_cast<char *>(data);
    ret->size_bytes = (uint32_t)type;
    ret->swizzle_bytes = (uint32_t)swizzle;
    for (int i = 0; i < 4; ++i) ret->size[i] = size[i], ret->box[i] = box[i];
    for (int i = 0; i < 3; ++i) ret->stride_bytes[i] = stride[i];
    return CUDA_SUCCESS;
}

cudaError_t cudaDeviceGetAttribute(int *ret, cudaDeviceAttr attribute, int) {
    *ret = attribute == cudaDevAttrComputeCapabilityMajor ? 9
           : attribute == cudaDevAttrMultiProcessorCount  ? 4
           : attribute == cudaDevAttrL2CacheSize          ? 1 << 20
                                                          : 227 * 1024;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **ret, unsigned, int,
                                             cudaDriverEntryPointQueryResult *ret_found) {
    *ret = reinterpret_cast<void *>(encode);
    *ret_found = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

static int shared_limit(const void *kernel) {
    const auto found = shared_limits.find(kernel);
    return found == shared_limits.end() ? SHARED_BYTES_DEFAULT : found->second;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *ret, const void *kernel) {
    ret->maxDynamicSharedSizeBytes = shared_limit(kernel);
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute, int value) {
    shared_limits[kernel] = value;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *ret, const void *, const cudaLaunchConfig_t *) {
    *ret = 16;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    if (config->dynamicSmemBytes > (size_t)shared_limit(kernel)) {
        failure = "more shared memory than the function was allowed";
        return cudaErrorInvalidValue;
    }
    const unsigned cluster = config->numAttrs ? config->attrs[0].val.clusterDim.x : 1;
    const char *said =
        emulator::launch({config->gridDim, config->blockDim.x, cluster, config->dynamicSmemBytes},
                         [=] { emulator_call(kernel, arguments[0]); });
    failure = said ? said : "";
    return said ? cudaErrorLaunchFailure : cudaSuccess;
}

cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t) {
    return failure.c_str();
}
const char *cudaGetErrorName(cudaError_t) {
    return "emulator";
}
