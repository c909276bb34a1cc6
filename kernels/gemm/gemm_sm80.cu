// SPDX-License-Identifier: Apache-2.0
//
// C = act(A B + bias) by mma.sync: fp16 and bf16, sums in fp32, both layouts of B, any extents.
//
// Algorithm: one thread block a tile of C; gemm_mma.cuh has its loop. Two shapes are compiled: large
// tiles, and small ones (64 x 64) for products whose large tiles are fewer than the device's multiprocessors.
//
// Budget at the defaults: 128 x 128 with four warps of 64 x 64 (128 registers of C, 64 of two sets of
// fragments); a slice is 16 KiB of A and 16 of B, three stages are 96 KiB: two blocks, 8 warps a
// multiprocessor. Expected limit: mma.sync reaches about 60 % of Hopper's tensor rate.
// Tried and lost (H200, bf16, 4096^3, 337 us): one switch over types and activations in every store, whose
// code did not fit the instruction cache (609 us); addresses computed anew for every copy (643 us); eight
// warps of 32 x 64 or 64 x 32, one set of fragments, 16 warps a multiprocessor (358 us, but 12 % faster
// where k is 1024); 128 x 256 with eight warps of 64 x 64 (356 us).
#include "gemm/gemm_mma.cuh"

#ifndef BLOCK_M
#define BLOCK_M 128
#endif
#ifndef BLOCK_N
#define BLOCK_N 128
#endif
#ifndef WARPS_M
#define WARPS_M 2
#endif
#ifndef WARPS_N
#define WARPS_N 2
#endif
#ifndef STAGES
#define STAGES 3
#endif

#define EXTENT_MAX (INT64_C(1) << 30) // rows and columns, up to a tile past the end, are counted in 32 bits

static_assert(!gemm_config_refusal({BLOCK_M, BLOCK_N, WARPS_M, WARPS_N, STAGES}),
              "gemm_config_refusal says why not");

struct gemm_instance {
    int32_t dtype;
    bool is_b_transposed;
    int m, n, threads;
    size_t shared_bytes;
    const void *kernel;
};

template <typename shape> static struct gemm_instance gemm_instance_of(int32_t dtype) {
    return {dtype,
            shape::is_b_transposed,
            shape::M,
            shape::N,
            shape::threads,
            (size_t)shape::shared_bytes,
            (const void *)gemm_mma_kernel<shape>};
}

template <typename T, bool is_b_transposed> static struct gemm_instance gemm_large(int32_t dtype) {
    return gemm_instance_of<gemm_shape<T, BLOCK_M, BLOCK_N, WARPS_M, WARPS_N, STAGES, is_b_transposed>>(
        dtype);
}
template <typename T, bool is_b_transposed> static struct gemm_instance gemm_small(int32_t dtype) {
    return gemm_instance_of<gemm_shape<T, 64, 64, 2, 2, 4, is_b_transposed>>(dtype);
}

// The large one of each kind first.
static const struct gemm_instance gemm_instances[] = {
    gemm_large<__half, false>(ASSAY_FP16),        gemm_small<__half, false>(ASSAY_FP16),
    gemm_large<__half, true>(ASSAY_FP16),         gemm_small<__half, true>(ASSAY_FP16),
    gemm_large<__nv_bfloat16, false>(ASSAY_BF16), gemm_small<__nv_bfloat16, false>(ASSAY_BF16),
    gemm_large<__nv_bfloat16, true>(ASSAY_BF16),  gemm_small<__nv_bfloat16, true>(ASSAY_BF16),
};

static int64_t gemm_tiles(const struct gemm_args *args, const struct gemm_instance *instance) {
    return (args->m + instance->m - 1) / instance->m * ((args->n + instance->n - 1) / instance->n);
}

static const struct gemm_instance *gemm_instance_find(const struct gemm_args *args, int64_t least_tiles) {
    const struct gemm_instance *found = nullptr;
    for (const struct gemm_instance &one : gemm_instances) {
        if (args->dtype != one.dtype || args->is_b_transposed != one.is_b_transposed) continue;
        if (!found || gemm_tiles(args, found) < least_tiles) found = &one;
    }
    return found;
}

static int gemm_sm80_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct gemm_args args;
    const int status = gemm_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (!gemm_instance_find(&args, 0)) return assay_say(message, ASSAY_UNSUPPORTED, "only fp16 and bf16");
    if (args.m > EXTENT_MAX || args.n > EXTENT_MAX || args.k > EXTENT_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "only extents up to 2^30");
    return ASSAY_OK;
}

static int gemm_sm80_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                             size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    gemm_mma_problem mma = {};
    int status = gemm_args_read(problem, &mma.args, message);
    if (status != ASSAY_OK) return status;
    int processors = 0;
    const cudaError_t code =
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, env->device_index);
    if (code != cudaSuccess) return cuda_host_fail(message, "asking for the number of multiprocessors", code);
    const struct gemm_instance *instance = gemm_instance_find(&mma.args, processors);
    if (!instance)
        return assay_say(message, ASSAY_UNSUPPORTED, "prepare was called for an unsupported problem");
    mma.tiles_m = (uint32_t)((mma.args.m + instance->m - 1) / instance->m);
    mma.tiles_n = (uint32_t)((mma.args.n + instance->n - 1) / instance->n);
    return cuda_host_prepare(
        mma,
        {instance->kernel, (int64_t)mma.tiles_m * mma.tiles_n, instance->threads, instance->shared_bytes},
        env, state, message);
}

static int gemm_sm80_check_config(const struct assay_scalar *values, uint32_t count,
                                  struct assay_message *message) {
    const auto value = [&](const char *name, int fallback) {
        return (int)assay_scalar_get(values, count, name, fallback);
    };
    const char *refusal =
        gemm_config_refusal({value("BLOCK_M", BLOCK_M), value("BLOCK_N", BLOCK_N), value("WARPS_M", WARPS_M),
                             value("WARPS_N", WARPS_N), value("STAGES", STAGES)});
    return refusal ? assay_say(message, ASSAY_INVALID_CONFIG, refusal) : ASSAY_OK;
}

static const int64_t gemm_extents[] = {64, 128, 256}, gemm_warps[] = {1, 2, 4, 8},
                     gemm_stages[] = {2, 3, 4, 5};
static const struct assay_param gemm_sm80_params[] = {
    {"BLOCK_M", "rows of a tile of C", BLOCK_M, gemm_extents, 3, 0},
    {"BLOCK_N", "columns of a tile of C", BLOCK_N, gemm_extents, 3, 0},
    {"WARPS_M", "warps along the rows of a tile", WARPS_M, gemm_warps, 4, 0},
    {"WARPS_N", "warps along the columns of a tile", WARPS_N, gemm_warps, 4, 0},
    {"STAGES", "stages: buffers of A and B that cp.async fills", STAGES, gemm_stages, 4, 0},
};

// In the order of struct assay_kernel: C++17 has no designated initialisers.
static const struct assay_kernel gemm_sm80_kernels[] = {{
    sizeof(struct assay_kernel),                                               // struct_size
    ASSAY_ABI_VERSION,                                                         // abi_version
    "gemm_sm80",                                                               // name
    "gemm",                                                                    // op
    "cuda",                                                                    // backend
    gemm_sm80_supports,                                                        // supports
    cuda_host_launch_state<gemm_mma_problem>,                                  // launch
    gemm_sm80_prepare,                                                         // prepare
    cuda_host_release,                                                         // release
    gemm_sm80_params,                                                          // params
    sizeof gemm_sm80_params / sizeof gemm_sm80_params[0],                      // param_count
    sizeof(struct assay_param),                                                // param_bytes
    gemm_sm80_check_config,                                                    // check_config
    "mma.sync, cp.async and ldmatrix, tiles of C in registers; fp16 and bf16", // summary
}};

ASSAY_MODULE(gemm_sm80_kernels)
