// SPDX-License-Identifier: Apache-2.0
//
// The host's part of the mma.sync kernels: which problems, which instance, which configurations. Place in a kernel: fa_thread.cuh.
#ifndef ATTENTION_FA_HOST_CUH
#define ATTENTION_FA_HOST_CUH

#include "attention/fa_frame.cuh"

// ---- the host's part ----

#define SHARED_LIMIT (227 * 1024) // of a block on sm_90; prepare asks the device
#define FA_ROWS_MAX  (1 << 30)    // rows and keys are counted in 32 bits, one tile beyond the end included

// The instances of the device function, by the type of Q, K and V and by the head dimension.
struct fa_instance {
    int32_t dtype, dtype_out;
    int32_t head_dim;
    size_t shared_bytes;
    const void *kernel;
};

template <typename T, int D> static struct fa_instance fa_instance_of(int32_t dtype, int32_t dtype_out) {
    return {dtype, dtype_out, D, (size_t)fa_shape<D>::shared_bytes, (const void *)fa_kernel<T, D>};
}

static const struct fa_instance fa_instances[] = {
#if FA_ELEMENT_BYTES == 1
    fa_instance_of<__nv_fp8_e4m3, 64>(ASSAY_FP8_E4M3, ASSAY_FP16),
    fa_instance_of<__nv_fp8_e4m3, 128>(ASSAY_FP8_E4M3, ASSAY_FP16),
#else
    fa_instance_of<__half, 64>(ASSAY_FP16, ASSAY_FP16),
    fa_instance_of<__half, 128>(ASSAY_FP16, ASSAY_FP16),
    fa_instance_of<__nv_bfloat16, 64>(ASSAY_BF16, ASSAY_BF16),
    fa_instance_of<__nv_bfloat16, 128>(ASSAY_BF16, ASSAY_BF16),
#endif
};

static const struct fa_instance *fa_instance_find(const struct attention_args *args) {
    for (const struct fa_instance &one : fa_instances)
        if (args->q.dtype == one.dtype && args->head_dim == one.head_dim) return &one;
    return nullptr;
}

static int fa_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.head_dim != 64 && args.head_dim != 128)
        return assay_say(message, ASSAY_UNSUPPORTED, "only head dimensions 64 and 128");
    const struct fa_instance *instance = fa_instance_find(&args);
    if (!instance || args.k.dtype != args.q.dtype || args.v.dtype != args.q.dtype ||
        args.o.dtype != instance->dtype_out)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         FA_ELEMENT_BYTES == 1 ? "only fp8 e4m3, the same for Q, K and V, with O in fp16"
                                               : "only fp16 and bf16, the same for Q, K, V and O");
    if (args.seq_q > FA_ROWS_MAX || args.seq_k > FA_ROWS_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "only up to 2^30 queries and keys");
    if (!(args.scale > 0.0f))
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "the scale must be above 0: the maximum is taken before it");
    return ASSAY_OK;
}

static int fa_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                      size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    struct attention_args args;
    int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const struct fa_instance *instance = fa_instance_find(&args);
    if (!instance)
        return assay_say(message, ASSAY_UNSUPPORTED, "prepare was asked for what is not supported");
    struct cuda_state<fa_problem> *self;
    status = cuda_host_prepare(args, BLOCK_M, {instance->kernel, 0, THREADS, instance->shared_bytes}, env,
                               &self, message);
    if (status != ASSAY_OK) return status;
    self->problem.scale_log2 = args.scale * LOG2_E;
    self->problem.work_pct = WORK_PCT;
    *state = self;
    return ASSAY_OK;
}

static int fa_check_config(const struct assay_scalar *values, uint32_t count, struct assay_message *message) {
    const double rows = assay_scalar_get(values, count, "BLOCK_M", BLOCK_M);
    const double keys = assay_scalar_get(values, count, "BLOCK_N", BLOCK_N);
    const double warps = assay_scalar_get(values, count, "NUM_WARPS", NUM_WARPS);
    const double stages = assay_scalar_get(values, count, "STAGES", STAGES);
    if (rows < 16 * warps)
        return assay_say(message, ASSAY_INVALID_CONFIG,
                         "BLOCK_M is below 16 x NUM_WARPS: a warp owns 16 rows at least");
    if (64 * FA_ELEMENT_BYTES * (rows + 2 * keys * stages) > SHARED_LIMIT)
        return assay_say(message, ASSAY_INVALID_CONFIG,
                         "Q and STAGES x (K + V) exceed 227 KiB of shared memory at D = 64");
    return ASSAY_OK;
}

#ifndef FA_KEYS
#define FA_KEYS 32, 64, 128
#endif
static const int64_t fa_rows[] = {64, 128}, fa_keys[] = {FA_KEYS}, fa_warps[] = {4, 8};
#ifndef FA_STAGES_FIXED
static const int64_t fa_stages[] = {1, 2, 3};
#endif
#if WORK_TEST
static const int64_t fa_test[] = {1}, fa_work[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
#endif

static const struct assay_param fa_params[] = {
    {"BLOCK_M", "query rows of a tile", BLOCK_M, fa_rows, 2, 0},
    {"BLOCK_N", "keys of one step of the online softmax", BLOCK_N, fa_keys, sizeof fa_keys / sizeof *fa_keys,
     0},
    {"NUM_WARPS", "warps that share a tile", NUM_WARPS, fa_warps, 2, 0},
#ifndef FA_STAGES_FIXED
    {"STAGES", "buffers of K and V that cp.async fills", STAGES, fa_stages, 3, 0},
#endif
#if WORK_TEST // no parameter of the kernel: a build that tests what a gate can see
    {"WORK_TEST", "1: can repeat part of its arithmetic", WORK_TEST, fa_test, 1, 0},
    {"WORK_PCT", "how much, in per cent of the time", WORK_PCT, fa_work, 11, 0},
#endif
};

static const struct assay_kernel fa_kernels[] = {{
    sizeof(struct assay_kernel),
    ASSAY_ABI_VERSION,
    FA_NAME,
    "attention",
    "cuda",
    fa_supports,
    cuda_host_launch_state<fa_problem>,
    fa_prepare,
    cuda_host_release,
    fa_params,
    sizeof fa_params / sizeof fa_params[0],
    sizeof(struct assay_param),
    fa_check_config,
    FA_SUMMARY,
}};

ASSAY_MODULE(fa_kernels)

#endif
