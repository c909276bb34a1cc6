// SPDX-License-Identifier: Apache-2.0
//
// Attention forward on Hopper (sm_90a): warpgroup products (wgmma), tensor copies (TMA), warps with roles. fp16 and bf16, D = 64 and
// 128, any lengths, grouped heads, both causal kinds, log-sum-exp.
//
// Algorithm: thread blocks stay and walk through tiles of query rows. One warpgroup copies (fa_hopper_copy.cuh); G others own 64
// rows each. A step issues P V of one block of keys together with Q K^T of the next one, and takes the weights of that under P V;
// it does not stop at a tile's end, where the first Q K^T of the next tile runs with the last P V. Warpgroups issue in turn. P stays
// in registers.
// No maximum is taken, but for a row's first block: there the largest of every fourth group of eight scores is the row's reference,
// which cannot be above its maximum. Weights are 2^(score - reference). Only where a thread's weights of a block add up to more than
// 2^15 (or to NaN) its warp computes the block's scores again, by mma.sync from the tiles in shared memory, and takes the maximum.
// That costs nothing in precision: P is a floating-point number, 2^15 of it is as exact as 1.
// O leaves through shared memory and the copy engine. What NaN and infinity in V under a mask need: fa_hopper_repair.cuh.
//
// Forms (rows of a tile x keys of a block, registers of computing and copying threads, stages of K and V, shared memory):
//   D =  64: G = 1   64 x 128   216 + 40   2 x 32 KiB    88 KiB, two thread blocks a multiprocessor
//            G = 2  128 x 128   240 + 24   5 x 32 KiB   208 KiB
//            G = 3  192 x 128   160 + 32   4 x 32 KiB   200 KiB
//            G = 4  256 x 64    112 + 24   6 x 16 KiB   192 KiB
//   D = 128: G = 1   64 x 128   240 + 24   2 x 64 KiB   176 KiB
//            G = 2  128 x 128   240 + 24   2 x 64 KiB   224 KiB
//            G = 3  192 x 64    160 + 32   2 x 32 KiB   208 KiB
// A problem gets the form whose waves of tiles take the least time by the clocks of fa_sm90_dispatch.h. With SPLIT_KEYS=1 problems with
// fewer tiles of 64 rows than multiprocessors may get one whose warpgroups share the rows and take every G-th part of a block's keys,
// each with sums and O of its own; the first adds them up at the end (D = 64: G = 4 x 64 or 2 x 128 keys, D = 128: 2 x 64).
//
// Expected limit: at D = 64 a score takes as long on the tensor cores (256 FLOP at 4096 a clock) as in the exponential unit (16 a
// clock): both are used to 57 % at S = 2048, where operands of the exponentials wait for registers that wgmma reads. At D = 128 the
// tensor cores alone.
// Tried and lost (docs/kernels.md has the figures): exponentials by a polynomial (+ 9 % time at 2 of 8), Q K^T a block ahead with two
// sets of scores (two warpgroups: 2200 clocks a step where three need 2700 for half as many rows more), row sums by mma.sync (+ 18 %),
// one warpgroup's exponentials at a time (+ 8 %), launches that begin early (programmatic dependent launch: assay refuses to time
// launches that are not ordered).
#include "attention/fa_hopper_copy.cuh"
#include "attention/fa_hopper_host.cuh"
#include "attention/fa_hopper_repair.cuh"
#include "attention/fa_hopper_scores.cuh"
#include "attention/fa_hopper_tiles.cuh"
#include "attention/fa_sm90_dispatch.h"
#include "common/hopper.cuh"

#include <assay/kernel.h>
#include <stdint.h>

#ifndef WARPGROUPS
#define WARPGROUPS 0
#endif
#ifndef SPLIT_KEYS
#define SPLIT_KEYS 0
#endif

#define LN2 0.69314718055994531f
// A thread's weights of a block and row add up to no more, or the row's reference is taken anew: fp16 holds 65504.
#define WEIGHTS_MAX 32768.0f
// Below all scores, and finite.
#define REFERENCE_OF_NONE -1e30f

// D: head dimension, G: warpgroups that compute, N: keys that each of them takes in a step. is_split: all of them have the same 64
// query rows and each its own keys; else each has its own rows, and all the same keys.
template <int D, int G, int N, bool split> struct fa_shape {
    static constexpr bool is_split = split;
    static constexpr int warpgroups = G, step_keys = N;
    static constexpr int dim = D, groups = split ? 1 : G, rows = groups * FA_ROWS, threads = 128 * (G + 1);
    static constexpr int keys = split ? G * N : N; // of a block
    static constexpr int columns = D / HOPPER_COLUMN, column_bytes = keys * 128;
    static constexpr int block_bytes = keys * D * 2, q_bytes = FA_ROWS * D * 2;
    static constexpr int store_bytes = FA_WARP_ROWS * 128; // of one column of 64
    static constexpr int blocks_a_multiprocessor = G == 1 && D == 64 ? 2 : 1;
    static constexpr int parts = split ? G - 1 : 0,
                         part_words = D / 2 + 4; // what a thread hands over to the first warpgroup
    static constexpr int room =
        226 * 1024 / blocks_a_multiprocessor - 3 * groups * q_bytes - parts * 128 * part_words * 4;
    static constexpr int stages = room / (2 * block_bytes) < 6 ? room / (2 * block_bytes) : 6;
    // 65536 registers: what the copying warpgroup gives up the others take.
    static constexpr int registers = G == 4 ? 112 : G == 3 ? 160 : G == 1 && D == 64 ? 216 : 240;
    static constexpr int copy_registers = G == 3 ? 32 : G == 1 && D == 64 ? 40 : 24;
};

template <typename shape> struct fa_shared {
    alignas(1024) unsigned char ring[shape::stages][2][shape::block_bytes]; // FA_STAGE_V, FA_STAGE_K
    alignas(1024) unsigned char q[2][shape::groups][shape::q_bytes];
    alignas(1024) unsigned char o[shape::groups][4][shape::columns][shape::store_bytes];
    uint64_t full[shape::stages], empty[shape::stages], q_full[2], q_empty[2];
    int2 place[FA_PLACES]; // head and batch of a tile
    float parts[shape::is_split ? shape::parts : 1][shape::is_split ? shape::part_words : 1]
               [128];     // by thread
    float scale_log2[32]; // for each lane
};

// ---- a warpgroup that computes ----

// Its way through its stream of blocks.
template <typename T, typename shape> struct fa_stream {
    static constexpr int D = shape::dim, G = shape::warpgroups, N = shape::step_keys;
    static constexpr bool split = shape::is_split;
    static constexpr int scores = N / 2; // of a thread
    const fa_problem &problem;
    fa_shared<shape> &shared;
    fa_block<shape::rows, shape::keys> block; // whose scores are at work
    fa_ring<shape::stages> ring;              // stage of its K
    fa_ring<2> q;
    fa_ring<FA_PLACES> place;
    float s[scores], o[D / 2];
    uint32_t p[scores / 2];
    fa_rows rows;
    int group, warp;  // the same in all lanes, which a shuffle tells the compiler
    float scale_log2; // not from a uniform register: that one costs the multiply-add a register more
    bool is_special = false;

    __device__ __forceinline__ fa_stream(const fa_problem &of, fa_shared<shape> &in)
        : problem(of), shared(in), block(of), group(__shfl_sync(~0u, (int)threadIdx.x / 128, 0)),
          warp(__shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0)),
          scale_log2(*(volatile float *)&in.scale_log2[threadIdx.x % 32]) {}

    // Read anew by every call: it is not kept in a register from one to the next.
    __device__ __forceinline__ int lane() const {
        int ret;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(ret));
        return ret;
    }
    __device__ __forceinline__ int first_of_warp() const {
        return (split ? 0 : group) * FA_ROWS + warp * FA_WARP_ROWS;
    }

    // Warpgroups issue their products in turn, so that one's weights are taken under another's products.
    __device__ __forceinline__ void my_turn() {
        if (G > 1 && !split) asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");
    }
    __device__ __forceinline__ void next_turn() {
        if (G > 1 && !split)
            asm volatile("bar.arrive %0, 256;" ::"r"(1 + (group + 1 == G ? 0 : group + 1)) : "memory");
    }

    __device__ __forceinline__ uint32_t shared_q() const {
        return hopper_shared(shared.q[q.slot][split ? 0 : group]);
    }
    __device__ __forceinline__ uint32_t shared_keys(int which) const {
        return hopper_shared(shared.ring[ring.slot][which]) + (split ? group * N * 128 : 0);
    }
    __device__ __forceinline__ int first_key() const {
        return block.index * shape::keys + (split ? group * N : 0);
    }

    __device__ __forceinline__ void mask() {
        const int first = first_key(), of_lane = lane();
        const int row = block.first_row + first_of_warp() + of_lane / 4;
        const int visible[2] = {fa_visible(problem, row), fa_visible(problem, row + 8)};
        if (__any_sync(~0u, min(visible[0], visible[1]) < first + N))
            fa_mask(s, visible, first + of_lane % 4 * 2);
    }

    __device__ __forceinline__ void start_rows() {
        fa_largest<4>(s, rows.reference);
        rows.reference[0] *= scale_log2;
        rows.reference[1] *= scale_log2;
        rows.sum[0] = rows.sum[1] = 0.0f;
        if (!split || !block.is_masked()) return;
        // Keys of which a row sees none: their weights fit. Other keys of the tile may be another warpgroup's.
        const int row = block.first_row + first_of_warp() + lane() / 4;
#pragma unroll
        for (int r = 0; r < 2; ++r)
            if (fa_visible(problem, row + 8 * r) <= first_key()) rows.reference[r] = REFERENCE_OF_NONE;
    }

    // The weights did not fit: from the scores again, with the rows' maxima taken anew.
    __device__ __forceinline__ void weigh_again(float (&sum)[2]) {
        fa_scores_again<T, D, N>(s, shared_q() + warp * FA_WARP_ROWS * 128, shared_keys(FA_STAGE_K),
                                 shape::column_bytes, lane());
        if (block.is_masked()) mask();
        float largest[2], reference[2];
        fa_largest<1>(s, largest);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const float max = fmaxf(rows.reference[r], largest[r] * scale_log2);
            const float factor = max == -INFINITY ? 1.0f : fa_exp2(rows.reference[r] - max);
            rows.reference[r] = max;
            rows.sum[r] *= factor;
            reference[r] = max == -INFINITY ? 0.0f : max;
            if (!block.is_first())
#pragma unroll
                for (int i = 0; i < D / 2; ++i)
                    if (i / 2 % 2 == r) o[i] *= factor;
        }
        sum[0] = sum[1] = 0.0f;
        fa_weights<0, scores>(s, scale_log2, reference, sum);
        fa_round<T, 0, scores>(s, p);
    }

    // Scores become weights and then P. P V of the block before may run until `wait`.
    template <typename F> __device__ __forceinline__ void weigh(F wait) {
        float sum[2] = {0.0f, 0.0f};
        fa_weights<0, scores / 2>(s, scale_log2, rows.reference, sum);
        fa_pin(s[scores / 2 - 9]);
        wait();
        fa_round<T, 0, scores / 2>(s, p);
        fa_weights<scores / 2, scores>(s, scale_log2, rows.reference, sum);
        fa_round<T, scores / 2, scores>(s, p);
        const bool fits =
            fmaxf(sum[0], sum[1]) <= WEIGHTS_MAX && sum[0] == sum[0]; // fmaxf passes over one NaN
        if (__builtin_expect(__any_sync(~0u, !fits), 0)) weigh_again(sum);
        rows.sum[0] += sum[0];
        rows.sum[1] += sum[1];
    }

    // The block's K, the V before it and, behind a tile's last block, its Q are no longer needed.
    __device__ __forceinline__ void release() {
        if (lane() == 0) {
            hopper_barrier_arrive(&shared.empty[ring.slot]);
            if (block.is_last()) hopper_barrier_arrive(&shared.q_empty[q.slot]);
        }
    }

    // Behind a tile's last block: what its O has to be multiplied by; the log-sum-exp is written.
    __device__ __forceinline__ void finish_rows(float (&ret_inverse)[2], int first_row, int head) {
        const int of_lane = lane(), row = first_row + first_of_warp() + of_lane / 4;
        const float sum[2] = {fa_quad_sum(rows.sum[0]), fa_quad_sum(rows.sum[1])};
        bool sees[2] = {true, true};
        if (fa_has_mask(problem))
#pragma unroll
            for (int r = 0; r < 2; ++r) sees[r] = fa_visible(problem, row + 8 * r) > 0;
#pragma unroll
        for (int r = 0; r < 2; ++r) ret_inverse[r] = sees[r] ? fa_reciprocal(sum[r]) : 0.0f;
        float *lse = problem.attention.data.lse;
        if (!lse || of_lane % 4 != 0) return;
        lse += (int64_t)head * problem.attention.args.seq_q + row;
#pragma unroll
        for (int r = 0; r < 2; ++r)
            if (row + 8 * r < (int)problem.attention.args.seq_q)
                lse[8 * r] = sees[r] ? (rows.reference[r] == -INFINITY ? 0.0f : rows.reference[r]) * LN2 +
                                           __logf(sum[r])
                                     : -INFINITY;
    }

    // Under a mask: does O hold what is not finite, perhaps from keys that a row does not see?
    __device__ __forceinline__ void look_for_special() {
        float zero = 0.0f;
#pragma unroll
        for (int i = 0; i < D / 2; ++i) zero = fmaf(o[i], 0.0f, zero);
        is_special |= zero != 0.0f;
    }

    // O of a finished tile to its place, through shared memory.
    __device__ __forceinline__ void store(const float (&inverse)[2], int first_row) {
        const int of_lane = lane();
        if (fa_has_mask(problem)) look_for_special();
        if (of_lane == 0) hopper_store_wait_read();
        __syncwarp();
        const uint32_t staging = hopper_shared(shared.o[group][warp][0]);
        const uint32_t at = staging + (uint32_t)(of_lane % 16) * 128;
#pragma unroll
        for (int i = 0; i < D / 8; i += 2) {
            uint32_t pieces[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float *c = o + 4 * i + 2 * e;
                pieces[e] = mma_pack(c[0] * inverse[e % 2], c[1] * inverse[e % 2], T());
            }
            hopper_store_matrices(
                at + i / 8 * shape::store_bytes + (((i % 8 + of_lane / 16) ^ (of_lane % 8)) * 16), pieces);
        }
        hopper_fence_proxy();
        __syncwarp();
        if (of_lane == 0) {
            const int2 to = shared.place[place.slot];
#pragma unroll
            for (int c = 0; c < shape::columns; ++c)
                hopper_store(&problem.o, staging + c * shape::store_bytes,
                             {c * HOPPER_COLUMN, first_row + first_of_warp(), to.x, to.y});
            hopper_store_commit();
        }
        place.next();
    }

    // P V of the block at work and Q K^T of the next one, whose weights are taken under P V. False when there is none.
    __device__ __forceinline__ bool step() {
        const bool was_first = block.is_first(), was_last = block.is_last();
        const int first_row = block.first_row;
        float inverse[2];
        if (!split && was_last) finish_rows(inverse, first_row, block.tile.head(problem));
        const bool has_next = block.next(problem);
        ring.next();
        hopper_barrier_wait(&shared.full[ring.slot], ring.turn);
        if (was_last && has_next) {
            q.next();
            hopper_barrier_wait(&shared.q_full[q.slot], q.turn);
        }
        my_turn();
        // Behind the last block a product of what lies there, for nobody: the compiler has to see the same products in all steps.
        fa_issue_scores<T, D, N>(s, shared_q(), shared_keys(FA_STAGE_K), shape::column_bytes);
        fa_issue_output<T, D, N>(o, p, shared_keys(FA_STAGE_V), shape::column_bytes, was_first);
        next_turn();
        const bool masks = block.is_masked();
        hopper_wait<1>();
        hopper_hold(s);
        if (has_next) {
            if (masks) mask();
            if (was_last) start_rows();
            weigh([&] {
                hopper_wait<0>();
                hopper_hold(o);
                hopper_hold(p);
            });
            release();
        }
        hopper_wait<0>();
        hopper_hold(o);
        if (!split && was_last) store(inverse, first_row);
        return has_next;
    }

    // O of all warpgroups into that of the first. A thread hands over its own elements, and takes them up in the same places.
    __device__ __forceinline__ void hand_over() {
        const int thread = (int)threadIdx.x % 128;
        float(&part)[shape::part_words][128] = shared.parts[group - 1];
#pragma unroll
        for (int i = 0; i < D / 2; ++i) part[i][thread] = o[i];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            part[D / 2 + r][thread] = rows.reference[r];
            part[D / 2 + 2 + r][thread] = rows.sum[r];
        }
    }

    __device__ __forceinline__ void take_up(const float (&part)[shape::part_words][128]) {
        const int thread = (int)threadIdx.x % 128;
        float mine[2], other[2];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const float reference = part[D / 2 + r][thread], max = fmaxf(rows.reference[r], reference);
            mine[r] = max == -INFINITY ? 1.0f : fa_exp2(rows.reference[r] - max);
            other[r] = max == -INFINITY ? 1.0f : fa_exp2(reference - max);
            rows.reference[r] = max;
            rows.sum[r] = rows.sum[r] * mine[r] + part[D / 2 + 2 + r][thread] * other[r];
        }
#pragma unroll
        for (int i = 0; i < D / 2; ++i) o[i] = o[i] * mine[i / 2 % 2] + part[i][thread] * other[i / 2 % 2];
    }

    // A split tile is the only one of its thread block.
    __device__ __forceinline__ void finish_split() {
        constexpr int barrier = 1, threads = 128 * G;
        if (group > 0) {
            hand_over();
            asm volatile("bar.arrive %0, %1;" ::"n"(barrier), "n"(threads) : "memory");
            return;
        }
        asm volatile("bar.sync %0, %1;" ::"n"(barrier), "n"(threads) : "memory");
#pragma unroll
        for (int i = 0; i < shape::parts; ++i) take_up(shared.parts[i]);
        const fa_block<shape::rows, shape::keys> tile(problem);
        float inverse[2];
        finish_rows(inverse, tile.first_row, tile.tile.head(problem));
        store(inverse, tile.first_row);
    }

    __device__ __forceinline__ void run() {
        hopper_barrier_wait(&shared.full[0], 0);
        hopper_barrier_wait(&shared.q_full[0], 0);
        if (group == G - 1) next_turn();
        fa_issue_scores<T, D, N>(s, shared_q(), shared_keys(FA_STAGE_K), shape::column_bytes);
        hopper_wait<0>();
        hopper_hold(s);
        if (block.is_masked()) mask();
        start_rows();
        weigh([] {});
        release();
        while (step())
            ;
        if constexpr (split) finish_split();
        if (lane() == 0) hopper_store_wait();
        if (fa_has_mask(problem) && __any_sync(~0u, is_special)) {
            hopper_fence_proxy_global();
            fa_repair<D, shape::rows>(problem, first_of_warp(), lane());
        }
    }
};

template <typename T, typename shape>
__global__ void __launch_bounds__(shape::threads, shape::blocks_a_multiprocessor)
    fa_kernel(const __grid_constant__ fa_problem problem) {
    constexpr int G = shape::warpgroups;
    extern __shared__ unsigned char raw[];
    fa_shared<shape> &shared =
        *reinterpret_cast<fa_shared<shape> *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~(uintptr_t)1023);
    if (threadIdx.x == 0) {
        hopper_prefetch_map(&problem.q);
        hopper_prefetch_map(&problem.k);
        hopper_prefetch_map(&problem.v);
        hopper_prefetch_map(&problem.o);
        for (int i = 0; i < shape::stages; ++i) {
            hopper_barrier_init(&shared.full[i], 1);
            hopper_barrier_init(&shared.empty[i],
                                4 * G); // one arrival a warp: it waits for its own products only
        }
        for (int i = 0; i < 2; ++i) {
            hopper_barrier_init(&shared.q_full[i], 1);
            hopper_barrier_init(&shared.q_empty[i], 4 * G);
        }
        hopper_barrier_publish();
    }
    if (threadIdx.x < 32) shared.scale_log2[threadIdx.x] = problem.scale_log2;
    __syncthreads();
    if ((int)threadIdx.x / 128 == G) {
        hopper_registers_fewer<shape::copy_registers>();
        if (threadIdx.x % 128 == 0) {
            fa_copier<shape, fa_shared<shape>> copier{problem, shared};
            copier.run();
        }
    } else {
        hopper_registers_more<shape::registers>();
        fa_stream<T, shape> stream(problem, shared);
        stream.run();
    }
}

// ---- the host's part ----

template <int D, int G, int N, bool split>
static constexpr struct fa_form fa_form_of(double alone_clk, double shared_clk, double tile_clk) {
    using shape = fa_shape<D, G, N, split>;
    return {{(const void *)fa_kernel<__half, shape>, (const void *)fa_kernel<__nv_bfloat16, shape>},
            D,
            G,
            split,
            shape::rows,
            shape::keys,
            shape::threads,
            shape::blocks_a_multiprocessor,
            1024 + sizeof(fa_shared<shape>),
            alone_clk,
            shared_clk,
            tile_clk};
}

#define FA_FORM(dim, groups, keys, is_split, alone_clk, shared_clk, tile_clk)                                \
    fa_form_of<dim, groups, keys, is_split>(alone_clk, shared_clk, tile_clk),
static const struct fa_form fa_forms[] = {FA_SM90_FORMS(FA_FORM)};

static int fa_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const bool is_half = args.q.dtype == ASSAY_FP16 || args.q.dtype == ASSAY_BF16;
    if (!is_half || args.k.dtype != args.q.dtype || args.v.dtype != args.q.dtype ||
        args.o.dtype != args.q.dtype)
        return assay_say(message, ASSAY_UNSUPPORTED, "only fp16 and bf16, the same for Q, K, V and O");
    return fa_hopper_supports(args, message);
}

static int fa_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                      size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    struct attention_args args;
    struct fa_device device;
    int status = attention_args_read(problem, &args, message);
    if (status == ASSAY_OK) status = fa_device_read(env, &device, message);
    if (status != ASSAY_OK) return status;
    const struct fa_form *form =
        fa_choose({fa_forms, sizeof fa_forms / sizeof *fa_forms, WARPGROUPS, SPLIT_KEYS == 1}, args,
                  device.multiprocessors);
    if (!form)
        return assay_say(
            message, ASSAY_UNSUPPORTED,
            "this head dimension has no form with so many warpgroups (WARPGROUPS): 0 lets the kernel choose");
    struct fa_state *self = nullptr;
    const void *kernel = form->kernels[args.q.dtype == ASSAY_BF16];
    status = fa_hopper_prepare(args, {form, kernel, &device}, &self, message);
    if (status == ASSAY_OK) *state = self;
    return status;
}

static const int64_t fa_warpgroups[] = {0, 1, 2, 3, 4}, fa_split_keys[] = {0, 1};
static const struct assay_param fa_params[] = {
    {"WARPGROUPS", "warpgroups that compute; 0: by the problem", WARPGROUPS, fa_warpgroups, 5, 0},
    {"SPLIT_KEYS", "1: where tiles are few, the warpgroups of a tile share its rows and split its keys",
     SPLIT_KEYS, fa_split_keys, 2, 0},
};

static const struct assay_kernel fa_kernels[] = {{
    sizeof(struct assay_kernel),
    ASSAY_ABI_VERSION,
    "fa_sm90",
    "attention",
    "cuda",
    fa_supports,
    fa_hopper_launch,
    fa_prepare,
    fa_hopper_release,
    fa_params,
    sizeof fa_params / sizeof fa_params[0],
    sizeof(struct assay_param),
    nullptr,
    "wgmma, TMA, warps with roles; fp16, bf16, D = 64 and 128, Hopper",
}};

ASSAY_MODULE(fa_kernels)
