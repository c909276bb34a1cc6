// SPDX-License-Identifier: Apache-2.0
//
// Attention forward with explicit vectors, fp32 arithmetic: the third rung.
//
// Algorithm: a work item is several blocks of BLOCK_M query rows, from the query heads that share one head
// of K and V. K (transposed, in panels) and V are converted to fp32 once per item, or less often when
// a thread's next item has the same head; V in dense rows of fp32 is used where it lies. Per block of BLOCK_N
// keys: scores by a register-blocked product, which become weights in the registers, by our own exp2
// (row_math.h); O += P V by another. Blocks above the mask's diagonal are skipped.
// Softmax: weights are relative to a base that need not be the maximum. It is the row's first score until one
// is more than 16 above it (in powers of two); then the base moves there, and what was computed is rescaled.
// So the maximum of a row across lanes is seldom needed, nor a second pass over its scores.
// Register tiles: 6 x 64 (AVX-512), 6 x 16 (AVX2, NEON), 4 x 8 (plain): rows x keys or columns.
// Shapes: any sizes and strides with D <= 256; fp32, fp16, bf16 (each tensor its own); grouped heads. Not
// fp8.
//
// Working set a thread: K and V in fp32 up to half of the L2 (1024 keys at D = 64 and 1 MiB; longer
// sequences go chunk by chunk), 4 BLOCK_M (2 D + BLOCK_N) bytes of Q, O and weights: 120 KiB at 48 x 512
// and D = 64.
//
// Expected limit: the FMA units. Besides its 4 D operations a score costs 10.5 vector operations on those
// units (exp2 8, sum 1, maximum and comparison 1.5), 8 % of the work at D = 64 (AVX-512): 92 % of the peak.
// Measured on a Xeon's core, S = 512, fp32, the best of each form: 86 % at D = 64 with one head, whose
// tensors stay in the L2, 86 % with eight, 86 % with 32, 91 % at D = 128; 71 % under a mask, where tiles at
// the diagonal compute what it hides.
//
// Tried and kept: weights in registers (71 to 80 %), first bases without a pass through memory (1 %), V in
// place (1 %), exp2 with a table of 32nds in two registers and vreduceps (0.6 %); O from registers to its
// tensor and Q in place (2 %), K and V of the next head, and Q and O of the next block, asked for during P V
// (2 %, with 32 heads 8 %), rows of V and panels of K asked for ahead into the L1 (0.5 to 1 %), tiles of 4
// and 2 rows at the end of a block (0.7 %), one comparison for all rows of a tile.
// Tried and lost: Q times the scale, base 0 at first, products that start at minus the base (each 0.5 to 1 %
// faster, with errors of the scores that fuzz does not accept); tiles of 12 x 32 (no faster); V in pieces
// of 64 or 128 keys (up to 2 % slower: O is loaded and stored too often); BLOCK_N of 128 and 256 (1 to 2 %
// slower); BLOCK_M of 12, 24 and 96, a padded stride of the scores, products unrolled by 4 and 8 (no
// difference).
#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>

#include "attention/attention_args.h"
#include "attention/simd_plan.h"

#if defined(__x86_64__)
#include "common/vec_avx512.h"

#include "attention/simd_core.h"

#include "common/vec_avx2.h"

#include "attention/simd_core.h"
#endif
#if defined(__aarch64__)
#include "common/vec_neon.h"

#include "attention/simd_core.h"
#endif
#include "common/vec_plain.h"

#include "attention/simd_core.h"

#ifndef VECTOR_LANES
#define VECTOR_LANES 0
#endif

#define SIMD_TILE_SCORES_MAX 65536 // 256 KiB of scores: more, with K and V, overflow a 1 MiB L2

// A vector unit: whether this processor has it, and its instance of simd_core.h.
struct simd_unit {
    bool (*is_present)(void);
    void (*run)(void *arg, int64_t index, uint32_t thread);
    struct simd_shape shape;
};

struct simd_state {
    struct simd_plan plan;
    const struct simd_unit *unit;
};

static const struct simd_unit simd_units[] = {
#if defined(__x86_64__)
    {vec_avx512_is_present, simd_run_avx512, {16, 64}},
    {vec_avx2_is_present, simd_run_avx2, {8, 16}},
#endif
#if defined(__aarch64__)
    {vec_neon_is_present, simd_run_neon, {4, 16}},
#endif
    {vec_plain_is_present, simd_run_plain, {4, 8}},
};

// The widest unit present, or the one that VECTOR_LANES selects; null if the selected one is not present.
static const struct simd_unit *simd_unit_find(void) {
    for (size_t i = 0; i < sizeof simd_units / sizeof simd_units[0]; ++i)
        if ((VECTOR_LANES == 0 || VECTOR_LANES == simd_units[i].shape.lanes) && simd_units[i].is_present())
            return &simd_units[i];
    return NULL;
}

static int simd_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.q.dtype == ASSAY_FP8_E4M3 || args.k.dtype == ASSAY_FP8_E4M3 || args.v.dtype == ASSAY_FP8_E4M3 ||
        args.o.dtype == ASSAY_FP8_E4M3)
        return assay_say(message, ASSAY_UNSUPPORTED, "simd supports fp32, fp16 and bf16, not fp8");
    if (!simd_unit_find())
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "this processor has no vector unit of VECTOR_LANES lanes");
    if (args.head_dim > SIMD_DIM_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "simd supports head dimensions up to 256");
    return ASSAY_OK;
}

static int simd_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                        size_t *workspace_bytes, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    struct simd_state *self = (struct simd_state *)calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    self->unit = simd_unit_find();
    simd_plan_set(&self->plan, &args, env, self->unit->shape);
    *workspace_bytes = self->plan.thread_bytes * self->plan.thread_count;
    *state = self;
    return ASSAY_OK;
}

static int simd_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                       struct assay_message *message) {
    const struct simd_state *self = (const struct simd_state *)state;
    const struct simd_plan *plan = &self->plan;
    struct simd_job job = {.plan = plan, .workspace = (char *)workspace};
    const int status = attention_data_read(tensors, &job.data, message);
    if (status != ASSAY_OK) return status;
    for (uint32_t thread = 0; thread < plan->thread_count; ++thread) {
        struct simd_task task;
        simd_task_set(&task, &job, thread);
        task.resident->group = -1; // no K and V are kept between launches
    }
    const int64_t count = plan->args.batch * plan->args.heads_kv * plan->items_per_group;
    cpu_parallel_for(stream, plan->thread_count, count, self->unit->run, &job);
    return ASSAY_OK;
}

static void simd_release(void *state) {
    free(state);
}

static int simd_check_config(const struct assay_scalar *values, uint32_t count,
                             struct assay_message *message) {
    const double rows = assay_scalar_get(values, count, "BLOCK_M", BLOCK_M);
    const double keys = assay_scalar_get(values, count, "BLOCK_N", BLOCK_N);
    if (!(rows * keys <= SIMD_TILE_SCORES_MAX))
        return assay_say(
            message, ASSAY_INVALID_CONFIG,
            "BLOCK_M x BLOCK_N is above 65536: the tile of scores would push K and V out of the L2; make "
            "one of them smaller");
    return ASSAY_OK;
}

static const int64_t simd_rows[] = {24, 48, 96, 192, 384};
static const int64_t simd_keys[] = {64, 128, 256, 512};
static const int64_t simd_lanes[] = {0, 4, 8, 16};
static const struct assay_param simd_params[] = {
    {"BLOCK_M", "query rows of one block, a multiple of 12", BLOCK_M, simd_rows,
     sizeof simd_rows / sizeof simd_rows[0], 0},
    {"BLOCK_N", "keys of one step of the online softmax", BLOCK_N, simd_keys,
     sizeof simd_keys / sizeof simd_keys[0], 0},
    {"VECTOR_LANES",
     "fp32 lanes of the vector unit: 16 AVX-512, 8 AVX2, 4 NEON or plain; 0 the widest present", VECTOR_LANES,
     simd_lanes, sizeof simd_lanes / sizeof simd_lanes[0], 0},
};

static const struct assay_kernel simd_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "simd",
    .op = "attention",
    .backend = "cpu",
    .supports = simd_supports,
    .launch = simd_launch,
    .prepare = simd_prepare,
    .release = simd_release,
    .params = simd_params,
    .param_count = sizeof simd_params / sizeof simd_params[0],
    .param_bytes = sizeof(struct assay_param),
    .check_config = simd_check_config,
    .summary = "register-blocked AVX-512, AVX2 or NEON, chosen at run time; fp32, fp16, bf16",
    .features = "out_dtype qkv_packed",
}};

ASSAY_MODULE(simd_kernels)
