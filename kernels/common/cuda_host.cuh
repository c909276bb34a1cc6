// SPDX-License-Identifier: Apache-2.0
//
// Host part common to CUDA kernels of any operator: the problem as a struct passed by value, grids, clusters,
// launches, the common callbacks, and runtime errors as sentences. Nothing here allocates device memory or
// synchronises.
#ifndef COMMON_CUDA_HOST_CUH
#define COMMON_CUDA_HOST_CUH

#include <assay/kernel.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Reports a runtime error: what was being done, the runtime's text and the error's name.
static inline int cuda_host_fail(struct assay_message *message, const char *what, cudaError_t code) {
    char text[256];
    snprintf(text, sizeof text, "%s: %s (%s)", what, cudaGetErrorString(code), cudaGetErrorName(code));
    return assay_say(message, ASSAY_FAILED, text);
}

// Allows `kernel` that much dynamic shared memory. Never less than before: problems that were prepared
// earlier may need it in their launches.
static inline cudaError_t cuda_host_raise_shared(const void *kernel, size_t shared_bytes) {
    cudaFuncAttributes attributes;
    const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel);
    if (code != cudaSuccess || shared_bytes <= (size_t)attributes.maxDynamicSharedSizeBytes) return code;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
}

// The same; UNSUPPORTED if the device has less.
static inline int cuda_host_reserve_shared(const void *kernel, size_t shared_bytes, int device_index,
                                           struct assay_message *message) {
    int limit = 0;
    cudaError_t code = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_index);
    if (code != cudaSuccess) return cuda_host_fail(message, "asking for the limit of shared memory", code);
    if (shared_bytes > (size_t)limit) {
        char text[200];
        snprintf(text, sizeof text,
                 "a block needs %zu bytes of shared memory and this device has %d: try smaller blocks or "
                 "fewer stages",
                 shared_bytes, limit);
        return assay_say(message, ASSAY_UNSUPPORTED, text);
    }
    code = cuda_host_raise_shared(kernel, shared_bytes);
    if (code != cudaSuccess) return cuda_host_fail(message, "reserving shared memory", code);
    return ASSAY_OK;
}

struct cuda_grid {
    const void *kernel;
    int64_t blocks;
    int threads;
    size_t shared_bytes;                 // dynamic
    int cluster;                         // thread blocks of a cluster; 0 and 1: no clusters
    unsigned blocks_y = 1, blocks_z = 1; // of them along y and z; `blocks` along x
};

// A launch configuration of the runtime, which points to `attribute`.
struct cuda_launch {
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config;
};

static inline void cuda_host_configure(const struct cuda_grid *grid, void *stream, struct cuda_launch *ret) {
    *ret = {};
    ret->attribute.id = cudaLaunchAttributeClusterDimension;
    ret->attribute.val.clusterDim.x = (unsigned)grid->cluster;
    ret->attribute.val.clusterDim.y = ret->attribute.val.clusterDim.z = 1;
    ret->config.gridDim = dim3((unsigned)grid->blocks, grid->blocks_y, grid->blocks_z);
    ret->config.blockDim = dim3((unsigned)grid->threads);
    ret->config.dynamicSmemBytes = grid->shared_bytes;
    ret->config.stream = (cudaStream_t)stream;
    ret->config.attrs = &ret->attribute;
    ret->config.numAttrs = grid->cluster > 1 ? 1 : 0;
}

// How many clusters of the grid are resident at once.
static inline cudaError_t cuda_host_clusters(const struct cuda_grid *grid, int *ret) {
    struct cuda_launch launch;
    cuda_host_configure(grid, nullptr, &launch);
    cudaError_t code = cuda_host_raise_shared(grid->kernel, grid->shared_bytes);
    if (code == cudaSuccess) code = cudaOccupancyMaxActiveClusters(ret, grid->kernel, &launch.config);
    if (code != cudaSuccess) (void)cudaGetLastError(); // clears the error
    return code;
}

// Enqueues the kernel with its one argument, a struct passed by value.
static inline int cuda_host_launch(const struct cuda_grid *grid, const void *argument, void *stream,
                                   struct assay_message *message) {
    void *arguments[1] = {const_cast<void *>(argument)};
    struct cuda_launch launch;
    cuda_host_configure(grid, stream, &launch);
    const cudaError_t code = cudaLaunchKernelExC(&launch.config, grid->kernel, arguments);
    if (code == cudaSuccess) return ASSAY_OK;
    (void)cudaGetLastError(); // clears the error
    return cuda_host_fail(message, "launching", code);
}

// What prepare keeps for the launches of a problem. problem_type: the kernel's one argument.
template <typename problem_type> struct cuda_state {
    problem_type problem;
    struct cuda_grid grid;
};

// The common part of prepare: a state with the problem and its grid, whose blocks are counted.
template <typename problem_type>
static int cuda_host_prepare(const problem_type &problem, struct cuda_grid grid, const struct assay_env *env,
                             void **ret, struct assay_message *message) {
    if (grid.blocks > INT32_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "more than 2^31 - 1 tiles: too many thread blocks for one launch");
    const int status = cuda_host_reserve_shared(grid.kernel, grid.shared_bytes, env->device_index, message);
    if (status != ASSAY_OK) return status;
    auto *state = static_cast<struct cuda_state<problem_type> *>(calloc(1, sizeof(cuda_state<problem_type>)));
    if (!state) return assay_say(message, ASSAY_FAILED, "out of memory");
    state->problem = problem;
    state->grid = grid;
    *ret = state;
    return ASSAY_OK;
}

// The callback launch of such a state. problem_type::read_data stores the addresses of a launch's tensors in
// the problem.
template <typename problem_type>
static int cuda_host_launch_state(void *state, const struct assay_tensors *tensors, void *workspace,
                                  void *stream, struct assay_message *message) {
    (void)workspace;
    const auto *self = static_cast<const struct cuda_state<problem_type> *>(state);
    problem_type problem = self->problem;
    const int status = problem.read_data(tensors, message);
    if (status != ASSAY_OK) return status;
    return cuda_host_launch(&self->grid, &problem, stream, message);
}

static inline void cuda_host_release(void *state) {
    free(state);
}

#endif
