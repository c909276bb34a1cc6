// SPDX-License-Identifier: Apache-2.0
//
// Host part of the mma.sync kernels: supported problems, compiled instances, build configurations. How a
// kernel is put together: fa_sm80_fragments.cuh.
#ifndef ATTENTION_FA_SM80_HOST_CUH
#define ATTENTION_FA_SM80_HOST_CUH

#include "attention/fa_sm80_mainloop.cuh"

#define SHARED_LIMIT     (227 * 1024) // of a thread block on sm_90; prepare asks the device
#define FA_SM80_ROWS_MAX (1 << 30)    // rows and keys, up to one tile past the end, are counted in 32 bits

// The compiled instances of the device function, by the type of Q, K and V and by head dimension.
struct fa_sm80_instance {
    int32_t dtype, dtype_out;
    int32_t head_dim;
    size_t shared_bytes;
    const void *kernel;
};

template <typename T, int D>
static struct fa_sm80_instance fa_sm80_instance_of(int32_t dtype, int32_t dtype_out) {
    return {dtype, dtype_out, D, (size_t)fa_sm80_traits<D>::shared_bytes, (const void *)fa_sm80_kernel<T, D>};
}

static const struct fa_sm80_instance fa_sm80_instances[] = {
#if FA_SM80_ELEMENT_BYTES == 1
    fa_sm80_instance_of<__nv_fp8_e4m3, 64>(ASSAY_FP8_E4M3, ASSAY_FP16),
    fa_sm80_instance_of<__nv_fp8_e4m3, 128>(ASSAY_FP8_E4M3, ASSAY_FP16),
#else
    fa_sm80_instance_of<__half, 64>(ASSAY_FP16, ASSAY_FP16),
    fa_sm80_instance_of<__half, 128>(ASSAY_FP16, ASSAY_FP16),
    fa_sm80_instance_of<__nv_bfloat16, 64>(ASSAY_BF16, ASSAY_BF16),
    fa_sm80_instance_of<__nv_bfloat16, 128>(ASSAY_BF16, ASSAY_BF16),
#endif
};

static const struct fa_sm80_instance *fa_sm80_instance_find(const struct attention_args *args) {
    for (const struct fa_sm80_instance &one : fa_sm80_instances)
        if (args->q.dtype == one.dtype && args->head_dim == one.head_dim) return &one;
    return nullptr;
}

static int fa_sm80_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.head_dim != 64 && args.head_dim != 128)
        return assay_say(message, ASSAY_UNSUPPORTED, "only head dimensions 64 and 128");
    const struct fa_sm80_instance *instance = fa_sm80_instance_find(&args);
    if (!instance || args.k.dtype != args.q.dtype || args.v.dtype != args.q.dtype ||
        args.o.dtype != instance->dtype_out)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         FA_SM80_ELEMENT_BYTES == 1 ? "only fp8 e4m3, the same for Q, K and V, with O in fp16"
                                                    : "only fp16 and bf16, the same for Q, K, V and O");
    if (args.seq_q > FA_SM80_ROWS_MAX || args.seq_k > FA_SM80_ROWS_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "only up to 2^30 queries and keys");
    if (!(args.scale > 0.0f))
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "the scale must be above 0: row maxima are taken before scaling");
    return ASSAY_OK;
}

static int fa_sm80_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                           size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const struct fa_sm80_instance *instance = fa_sm80_instance_find(&args);
    if (!instance)
        return assay_say(message, ASSAY_UNSUPPORTED, "prepare was called for an unsupported problem");
    fa_sm80_problem sm80 = {};
    sm80.attention.args = args;
    sm80.scale_log2 = args.scale * LOG2_E;
    sm80.work_pct = WORK_PCT;
    return attention_host_prepare(sm80, BLOCK_M, {instance->kernel, 0, THREADS, instance->shared_bytes}, env,
                                  state, message);
}

static int fa_sm80_check_config(const struct assay_scalar *values, uint32_t count,
                                struct assay_message *message) {
    const double rows = assay_scalar_get(values, count, "BLOCK_M", BLOCK_M);
    const double keys = assay_scalar_get(values, count, "BLOCK_N", BLOCK_N);
    const double warps = assay_scalar_get(values, count, "NUM_WARPS", NUM_WARPS);
    const double stages = assay_scalar_get(values, count, "STAGES", STAGES);
    if (rows < 16 * warps)
        return assay_say(message, ASSAY_INVALID_CONFIG,
                         "BLOCK_M is below 16 x NUM_WARPS: a warp owns 16 rows at least");
    if (64 * FA_SM80_ELEMENT_BYTES * (rows + 2 * keys * stages) > SHARED_LIMIT)
        return assay_say(message, ASSAY_INVALID_CONFIG,
                         "Q and STAGES x (K + V) exceed 227 KiB of shared memory at D = 64");
    return ASSAY_OK;
}

#ifndef FA_SM80_BLOCK_N_VALUES
#define FA_SM80_BLOCK_N_VALUES 32, 64, 128
#endif
static const int64_t fa_sm80_rows[] = {64, 128}, fa_sm80_keys[] = {FA_SM80_BLOCK_N_VALUES},
                     fa_sm80_warps[] = {4, 8};
#ifndef FA_SM80_SINGLE_STAGE
static const int64_t fa_sm80_stages[] = {1, 2, 3};
#endif
#if WORK_TEST
static const int64_t fa_sm80_test[] = {1}, fa_sm80_work[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
#endif

static const struct assay_param fa_sm80_params[] = {
    {"BLOCK_M", "query rows of a tile", BLOCK_M, fa_sm80_rows, 2, 0},
    {"BLOCK_N", "keys of one step of the online softmax", BLOCK_N, fa_sm80_keys,
     sizeof fa_sm80_keys / sizeof *fa_sm80_keys, 0},
    {"NUM_WARPS", "warps that share a tile", NUM_WARPS, fa_sm80_warps, 2, 0},
#ifndef FA_SM80_SINGLE_STAGE
    {"STAGES", "stages: buffers of K and V that cp.async fills", STAGES, fa_sm80_stages, 3, 0},
#endif
#if WORK_TEST // not a tuning parameter: a build for testing what a gate detects
    {"WORK_TEST", "1: can repeat part of its arithmetic", WORK_TEST, fa_sm80_test, 1, 0},
    {"WORK_PCT", "how much, in per cent of the time", WORK_PCT, fa_sm80_work, 11, 0},
#endif
};

// In the order of struct assay_kernel: C++17 has no designated initialisers.
static const struct assay_kernel fa_sm80_kernels[] = {{
    sizeof(struct assay_kernel),                      // struct_size
    ASSAY_ABI_VERSION,                                // abi_version
    FA_SM80_NAME,                                     // name
    "attention",                                      // op
    "cuda",                                           // backend
    fa_sm80_supports,                                 // supports
    cuda_host_launch_state<fa_sm80_problem>,          // launch
    fa_sm80_prepare,                                  // prepare
    cuda_host_release,                                // release
    fa_sm80_params,                                   // params
    sizeof fa_sm80_params / sizeof fa_sm80_params[0], // param_count
    sizeof(struct assay_param),                       // param_bytes
    fa_sm80_check_config,                             // check_config
    FA_SM80_SUMMARY,                                  // summary
}};

ASSAY_MODULE(fa_sm80_kernels)

#endif
