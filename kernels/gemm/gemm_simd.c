// SPDX-License-Identifier: Apache-2.0
//
// C = act(A B + bias) on the CPU: packed, register-blocked, AVX-512, AVX2, NEON or plain vectors, chosen
// at run time. fp32, fp16, bf16 and fp8 e4m3, all summed in fp32.
//
// Algorithm (Goto and van de Geijn 2008): A and B are packed once, in panels of a tile's rows and columns, by
// all threads; tasks are blocks of C, up to 192 x 256, which a thread sums in its workspace, a slice of k
// at a time: a slice of a panel of B stays near while the panels of A pass by. The epilogue follows while
// the block is in the L2. With at most one tile's rows and a transposed B, columns of C are dot products
// with B's rows where they lie.
//
// Working set a thread: a slice of a panel of B (64 KiB), a block of C (192 KiB) and slices of A in the L2.
// Expected limit: the FMA units; memory for products with few rows; packing, where C is small and k long.
// Tried and lost: slices of 32 KiB, which fit the L1 (7 % slower at 1000^3: C is read and written twice as
// often); blocks of 96 rows (2 to 5 % slower); A packed row by row (twice the time where k is 16384).
#include <stdlib.h>

#include "common/cpu_threads.h"
#include "gemm/gemm_simd_plan.h"

#if defined(__x86_64__)
#include "common/vec_avx512.h"

#include "gemm/gemm_simd_core.h"

#include "common/vec_avx2.h"

#include "gemm/gemm_simd_core.h"
#endif
#if defined(__aarch64__)
#include "common/vec_neon.h"

#include "gemm/gemm_simd_core.h"
#endif
#include "common/vec_plain.h"

#include "gemm/gemm_simd_core.h"

#ifndef VECTOR_LANES
#define VECTOR_LANES 0
#endif

typedef void gemm_task_fn(void *arg, int64_t index, uint32_t thread);

// A vector unit: whether this processor has it, and its instance of gemm_simd_core.h.
struct gemm_unit {
    bool (*is_present)(void);
    gemm_task_fn *pack, *block, *dots;
    struct gemm_tile_shape tile;
};

struct gemm_simd {
    struct gemm_plan plan;
    const struct gemm_unit *unit;
};

static const struct gemm_unit gemm_units[] = {
#if defined(__x86_64__)
    {vec_avx512_is_present, gemm_pack_avx512, gemm_block_avx512, gemm_dots_avx512, {16, 6, 64}},
    {vec_avx2_is_present, gemm_pack_avx2, gemm_block_avx2, gemm_dots_avx2, {8, 6, 16}},
#endif
#if defined(__aarch64__)
    {vec_neon_is_present, gemm_pack_neon, gemm_block_neon, gemm_dots_neon, {4, 6, 16}},
#endif
    {vec_plain_is_present, gemm_pack_plain, gemm_block_plain, gemm_dots_plain, {4, 4, 8}},
};

// The widest unit present, or the one that VECTOR_LANES selects; null if the selected one is not present.
static const struct gemm_unit *gemm_unit_find(void) {
    for (size_t i = 0; i < sizeof gemm_units / sizeof gemm_units[0]; ++i)
        if ((VECTOR_LANES == 0 || VECTOR_LANES == gemm_units[i].tile.lanes) && gemm_units[i].is_present())
            return &gemm_units[i];
    return NULL;
}

static int gemm_simd_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct gemm_args args;
    const int status = gemm_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (!gemm_unit_find())
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "this processor has no vector unit of VECTOR_LANES lanes");
    return ASSAY_OK;
}

static int gemm_simd_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                             size_t *workspace_bytes, struct assay_message *message) {
    struct gemm_args args;
    const int status = gemm_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    struct gemm_simd *self = (struct gemm_simd *)calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    self->unit = gemm_unit_find();
    gemm_plan_set(&self->plan, &args, env, self->unit->tile);
    const int64_t floats = gemm_plan_a_floats(&self->plan) + gemm_plan_b_floats(&self->plan) +
                           self->plan.thread_floats * self->plan.thread_count;
    *workspace_bytes = (size_t)floats * sizeof(float);
    *state = self;
    return ASSAY_OK;
}

static void gemm_simd_dots(const struct gemm_simd *self, struct gemm_job *job, void *stream) {
    const struct gemm_args *args = &self->plan.args;
    for (int64_t r = 0; r < args->m; ++r)
        convert_row_to_float(gemm_at(job->data.a, args->dtype, r * args->stride_a), args->dtype, args->k,
                             job->a + r * args->k);
    cpu_parallel_for(stream, self->plan.thread_count, gemm_divide_up(args->n, GEMM_BLOCK_COLUMNS),
                     self->unit->dots, job);
}

static void gemm_simd_blocks(const struct gemm_simd *self, struct gemm_job *job, void *stream) {
    const struct gemm_plan *plan = &self->plan;
    const struct gemm_args *args = &plan->args;
    for (job->column_first = 0; job->column_first < args->n; job->column_first += plan->columns_packed)
        for (job->row_first = 0; job->row_first < args->m; job->row_first += plan->rows_packed) {
            job->column_end = job->column_first + plan->columns_packed;
            if (job->column_end > args->n) job->column_end = args->n;
            job->row_end = job->row_first + plan->rows_packed;
            if (job->row_end > args->m) job->row_end = args->m;
            const int64_t rows = job->row_end - job->row_first, columns = job->column_end - job->column_first;
            const int64_t panels =
                gemm_divide_up(columns, plan->tile.columns) + gemm_divide_up(rows, plan->tile.rows);
            const int64_t blocks =
                gemm_divide_up(rows, plan->block_rows) * gemm_divide_up(columns, GEMM_BLOCK_COLUMNS);
            cpu_parallel_for(stream, plan->thread_count, panels, self->unit->pack, job);
            cpu_parallel_for(stream, plan->thread_count, blocks, self->unit->block, job);
        }
}

static int gemm_simd_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                            struct assay_message *message) {
    const struct gemm_simd *self = (const struct gemm_simd *)state;
    struct gemm_job job = {.plan = &self->plan, .a = (float *)workspace};
    job.b = job.a + gemm_plan_a_floats(&self->plan);
    job.threads = job.b + gemm_plan_b_floats(&self->plan);
    const int status = gemm_data_read(tensors, &job.data, message);
    if (status != ASSAY_OK) return status;
    if (self->plan.is_dot)
        gemm_simd_dots(self, &job, stream);
    else
        gemm_simd_blocks(self, &job, stream);
    return ASSAY_OK;
}

static void gemm_simd_release(void *state) {
    free(state);
}

static const int64_t gemm_simd_lanes[] = {0, 4, 8, 16};
static const struct assay_param gemm_simd_params[] = {
    {"VECTOR_LANES",
     "fp32 lanes of the vector unit: 16 AVX-512, 8 AVX2, 4 NEON or plain; 0 the widest present", VECTOR_LANES,
     gemm_simd_lanes, sizeof gemm_simd_lanes / sizeof gemm_simd_lanes[0], 0},
};

static const struct assay_kernel gemm_simd_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "gemm_simd",
    .op = "gemm",
    .backend = "cpu",
    .supports = gemm_simd_supports,
    .launch = gemm_simd_launch,
    .prepare = gemm_simd_prepare,
    .release = gemm_simd_release,
    .params = gemm_simd_params,
    .param_count = sizeof gemm_simd_params / sizeof gemm_simd_params[0],
    .param_bytes = sizeof(struct assay_param),
    .summary = "packed and register-blocked, AVX-512, AVX2 or NEON, chosen at run time; every dtype",
}};

ASSAY_MODULE(gemm_simd_kernels)
