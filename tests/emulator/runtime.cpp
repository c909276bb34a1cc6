// SPDX-License-Identifier: Apache-2.0
//
// CUDA runtime functions for the emulated device, whose launches are synchronous, and the encoder of tensor
// maps.
#include <string>

#include "cuda_runtime.h"

static std::string failure;

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

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) {
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *ret, const void *, const cudaLaunchConfig_t *) {
    *ret = 16;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    const unsigned cluster = config->numAttrs ? config->attrs[0].val.clusterDim.x : 1;
    const char *said =
        emulator::launch({config->gridDim.x, config->blockDim.x, cluster, config->dynamicSmemBytes},
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
