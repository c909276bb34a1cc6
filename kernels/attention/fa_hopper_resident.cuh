// SPDX-License-Identifier: Apache-2.0
//
// Kernel for few tiles of short heads (D = 64, up to 512 keys). All K and V of a head are resident in shared
// memory, so there is no pipeline; the two consumer warpgroups of a thread block share a tile's query rows,
// each with half of the keys (a part), and a thread block has one tile. Here every score is known before the
// first exponential: the softmax shift is the row's maximum, and no data make this slower.
//
// What a short launch waits for is latency, so (clocks: docs/kernels.md, "Resident keys"):
//   - the grid is (tiles of a head, heads, batches): finding the tile takes no division (144 clocks each)
//   - one thread a part starts its loads, K before V, before the threads meet; another one that of Q
//   - what the end reads of the constants is read at the beginning (100 clocks for a line in no cache)
//   - P V of half a block follows its exponentials at once
//   - the warpgroups exchange maxima before the exponentials, so that partial O and sums are only added
//
// rows: of a tile, 64, or 32 where tiles are few. Of 32 rows a warp has 8, one for a thread in place of two:
// half of each product (64 x N) is not used, and the exponentials, which take longest, are half as many.
#ifndef ATTENTION_FA_HOPPER_RESIDENT_CUH
#define ATTENTION_FA_HOPPER_RESIDENT_CUH

#include <math.h>
#include <stdint.h>

#include "attention/attention_device.cuh"
#include "attention/fa_hopper_fragments.cuh"
#include "attention/fa_hopper_nan_fixup.cuh"
#include "attention/fa_hopper_tile_scheduler.cuh"
#include "common/hopper.cuh"
#include "common/mma_tile.cuh"

#define FA_HOPPER_RESIDENT_PARTS   2 // warpgroups that share a tile
#define FA_HOPPER_RESIDENT_BARRIER 1 // named barrier of both

// bytes: of an element of Q, K and V; 1: fp8, whose V is widened by the warps of a third warpgroup.
template <int D, int bytes, int tile_rows> struct fa_hopper_resident_traits {
    static_assert(D == 64 && (tile_rows == 64 || tile_rows == 32), "what a thread block has room for");
    static constexpr bool is_resident = true, is_fp8 = bytes == 1;
    static constexpr int dim = D, parts = FA_HOPPER_RESIDENT_PARTS;
    static constexpr int rows = tile_rows, warp_rows = rows / 4, thread_rows = warp_rows / 8;
    static constexpr int keys = 128, blocks = FA_HOPPER_RESIDENT_BLOCKS; // of a part
    static constexpr int threads = 128 * (parts + is_fp8), ctas_per_sm = 1;
    static constexpr int block_bytes = keys * D * bytes, v_half_bytes = keys * D * 2;
    static constexpr int q_bytes = FA_HOPPER_WARPGROUP_ROWS * D * bytes;
    // A product has 16 rows of Q for each warp, in two groups of 8. Of 32 rows a warp's first group are its
    // own 8; the second one, not used, begins in the middle of them.
    static constexpr int q_group_bytes = warp_rows / 2 * D * bytes;
    static constexpr int atom_column_bytes = keys * 128;
    // Where V is widened: the warps that do it, and how registers are divided (setmaxnreg).
    static constexpr int convert_warps = 4, registers = 224, producer_registers = 56;
};

template <typename traits> struct fa_hopper_resident_shared {
    static constexpr int parts = traits::parts, blocks = traits::blocks;
    alignas(1024) unsigned char k[parts][blocks][traits::block_bytes];
    alignas(1024) unsigned char v[parts][blocks][traits::v_half_bytes]; // in 16 bits, for P V
    alignas(1024) unsigned char v_fp8[traits::is_fp8 ? parts : 1][blocks]
                                     [traits::is_fp8 ? traits::block_bytes : 1];
    alignas(1024) unsigned char q[traits::q_bytes];
    // What the other warpgroup sends, for each thread: half of the dimensions of its partial O, four floats
    // at a time; maxima and sums of the thread's rows.
    float4 o[parts][traits::dim / 32 * traits::thread_rows][128];
    float4 maxima[parts][128], sums[parts][128];
    uint64_t q_full, k_full[parts][blocks], v_full[parts][blocks], v_fp8_full[parts][blocks];
};

// A thread block's tile.
template <typename traits> struct fa_hopper_resident_tile {
    int first_row, head, batch, head_kv;
    __device__ __forceinline__ explicit fa_hopper_resident_tile(const fa_hopper_problem &problem)
        : first_row((int)blockIdx.x * traits::rows), head((int)blockIdx.y), batch((int)blockIdx.z) {
        const int group = (int)problem.attention.args.group;
        head_kv = group == 1 ? head : head / group;
    }
};

// ---- loads ----

// The blocks of a part, by one thread.
template <typename traits>
__device__ __forceinline__ void
fa_hopper_resident_load_blocks(const CUtensorMap *map, const unsigned char *to, uint64_t *full,
                               const fa_hopper_resident_tile<traits> &tile, int part) {
    tma_coords from{0, part * traits::blocks * traits::keys, tile.head_kv, tile.batch};
#pragma unroll
    for (int i = 0; i < traits::blocks; ++i) mbarrier_init(&full[i], 1);
    fence_mbarrier_init();
#pragma unroll
    for (int i = 0; i < traits::blocks; ++i, from.row += traits::keys) {
        mbarrier_arrive_expect_tx(&full[i], traits::block_bytes);
        tma_load(smem_address(to) + i * traits::block_bytes, map, &full[i], from);
    }
}

template <typename traits>
__device__ __forceinline__ void fa_hopper_resident_load_q(const fa_hopper_problem &problem,
                                                          fa_hopper_resident_shared<traits> &shared,
                                                          const fa_hopper_resident_tile<traits> &tile) {
    mbarrier_init(&shared.q_full, 1);
    fence_mbarrier_init();
    mbarrier_arrive_expect_tx(&shared.q_full, traits::q_bytes / FA_HOPPER_WARPGROUP_ROWS * traits::rows);
    tma_load(smem_address(shared.q), &problem.q, &shared.q_full, {0, tile.first_row, tile.head, tile.batch});
}

// All loads of a thread block: called by all threads, before they meet. warp: in its warpgroup.
template <typename traits>
__device__ __forceinline__ void
fa_hopper_resident_load(const fa_hopper_problem &problem, fa_hopper_resident_shared<traits> &shared,
                        const fa_hopper_resident_tile<traits> &tile, int warpgroup, int warp) {
    if (threadIdx.x % 32 != 0 || warpgroup >= traits::parts) return;
    if (warpgroup == 0 && warp == 1) fa_hopper_resident_load_q(problem, shared, tile);
    if (warp != 0) return;
    fa_hopper_resident_load_blocks(&problem.k, shared.k[warpgroup][0], shared.k_full[warpgroup], tile,
                                   warpgroup);
    if constexpr (traits::is_fp8) {
        for (uint64_t &full : shared.v_full[warpgroup]) mbarrier_init(&full, traits::convert_warps);
        fa_hopper_resident_load_blocks(&problem.v, shared.v_fp8[warpgroup][0], shared.v_fp8_full[warpgroup],
                                       tile, warpgroup);
    } else {
        fa_hopper_resident_load_blocks(&problem.v, shared.v[warpgroup][0], shared.v_full[warpgroup], tile,
                                       warpgroup);
    }
}

// ---- a consumer warpgroup ----

// T: the type of P, V in shared memory, and O. issue_qk: a type whose run(s, q, k) starts s = Q K^T of a
// block; addresses in descriptor units.
template <typename T, typename traits, typename issue_qk> struct fa_hopper_resident_consumer {
    static constexpr int D = traits::dim, N = traits::keys, R = traits::thread_rows;
    static constexpr int halves = 2 * traits::blocks;      // of blocks
    static constexpr int o_groups = D / 8 / traits::parts; // groups of 8 dimensions that a part stores
    static constexpr int o_count = o_groups * 2 * R;       // of a thread, in its rows
    const fa_hopper_problem &problem;
    fa_hopper_resident_shared<traits> &shared;
    const fa_hopper_resident_tile<traits> &tile;
    int part, warp, lane;
    fa_hopper_scales scales;
    float scale_log2;
    float s[traits::blocks][N / 2], o[D / 2]; // accumulators of Q K^T and P V
    uint32_t p[2][N / 8];                     // P of half a block, twice
    float shift[R], sum[R];
    // For the end.
    char *o_row;     // this thread's upper row of O
    int64_t o_bytes; // from there to its lower row
    float *lse;      // of that row, or null
    int seq_q, is_causal;

    __device__ __forceinline__ int row() const {
        return tile.first_row + warp * traits::warp_rows + lane / 4;
    }
    // Whether element i of an accumulator is in a row of the tile, and in which one of the thread's.
    __device__ __forceinline__ static constexpr bool is_used(int i) { return i / 2 % 2 < R; }
    __device__ __forceinline__ static constexpr int row_of(int i) { return i / 2 % R; }

    // Reads what the end needs, now: the compiler would do it there.
    __device__ __forceinline__ void begin() {
        const struct attention_args &args = problem.attention.args;
        if constexpr (!traits::is_fp8) scale_log2 = broadcast_lane0(problem.scale_log2);
        o_row = problem.attention.data.o + attention_device_row(args.o, tile.batch, tile.head, row());
        o_bytes = 8 * args.o.stride_row * args.o.element_bytes;
        seq_q = (int)args.seq_q;
        is_causal = fa_hopper_is_causal(problem);
        lse = problem.attention.data.lse;
        if (lse) lse += ((int64_t)tile.batch * args.heads + tile.head) * args.seq_q + row();
        keep_in_register(o_row);
        keep_in_register(o_bytes);
        keep_in_register(lse);
        keep_in_register(seq_q);
        keep_in_register(is_causal);
    }

    __device__ __forceinline__ static void store_rows(float4 *to, const float (&x)[R]) {
        const uint32_t bits[4] = {__float_as_uint(x[0]), __float_as_uint(x[R - 1]), 0, 0};
        sts_128(smem_address(to), bits);
    }
    __device__ __forceinline__ static void load_rows(const float4 *from, float (&ret)[R]) {
        uint32_t bits[4];
        lds_128(bits, smem_address(from));
#pragma unroll
        for (int r = 0; r < R; ++r) ret[r] = __uint_as_float(bits[r]);
    }

    // ---- scores ----

    template <int i> __device__ __forceinline__ void mask() {
        const int first_key = (part * traits::blocks + i) * N;
        const int first_row = tile.first_row + warp * traits::warp_rows;
        if (fa_hopper_visible_keys(problem, first_row) >= first_key + N) return;
        const int visible[2] = {fa_hopper_visible_keys(problem, row()),
                                fa_hopper_visible_keys(problem, row() + 8)};
        fa_hopper_mask(s[i], visible, first_key + lane % 4 * 2, -INFINITY);
    }
    template <int i> __device__ __forceinline__ void take_max(float (&largest)[R]) {
        mask<i>();
#pragma unroll
        for (int j = 0; j < N / 2; ++j)
            if (is_used(j)) largest[row_of(j)] = fmaxf(largest[row_of(j)], s[i][j]);
    }

    // Both blocks' scores, masked; the maxima of the part.
    __device__ __forceinline__ void compute_scores(float (&largest)[R]) {
        static_assert(traits::blocks == 2, "spelled out: a loop would serialise the products");
        const uint32_t q = descriptor_units(shared.q), k = descriptor_units(shared.k[part]);
        mbarrier_wait(&shared.q_full, 0);
        mbarrier_wait(&shared.k_full[part][0], 0);
        mbarrier_wait(&shared.k_full[part][1], 0);
        issue_qk::run(s[0], q, k);
        issue_qk::run(s[1], q, k + traits::block_bytes / DESCRIPTOR_UNIT);
        warpgroup_wait<1>();
        warpgroup_fence_operand(s[0]);
        for (float &x : largest) x = -INFINITY;
        take_max<0>(largest);
        warpgroup_wait<0>();
        warpgroup_fence_operand(s[1]);
        take_max<1>(largest);
    }
    // The rows' maxima over both parts, as shifts.
    __device__ __forceinline__ void exchange_maxima(float (&largest)[R]) {
        const int thread = (int)threadIdx.x % 128;
        // The scales of fp8 arrive about as late as the scores, and only here are they waited for.
        if constexpr (traits::is_fp8) scale_log2 = fa_hopper_score_scale(problem, scales);
        for (float &x : largest) x = fa_hopper_quad_max(x);
        store_rows(&shared.maxima[part ^ 1][thread], largest);
        named_barrier_sync(FA_HOPPER_RESIDENT_BARRIER);
        float other[R];
        load_rows(&shared.maxima[part][thread], other);
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const float max = fmaxf(largest[r], other[r]);
            shift[r] = max == -INFINITY ? 0.0f : max * scale_log2;
            sum[r] = 0.0f;
        }
    }

    // ---- P V ----

    // Exponentials of half a block, and P. Behind every second half the compiler must not mix them with those
    // of the next one: it runs out of registers.
    template <int half> __device__ __forceinline__ void take_half() {
        constexpr int i = half / 2, first = half % 2 * N / 4;
#pragma unroll
        for (int j = first; j < first + N / 4; ++j) {
            if (!is_used(j)) continue;
            s[i][j] = exp2_approx(fmaf(s[i][j], scale_log2, -shift[row_of(j)]));
            sum[row_of(j)] += s[i][j];
        }
        if (half % 2) fa_hopper_order_after(s[i][first + N / 4 - 4]);
#pragma unroll
        for (int j = 0; j < N / 8; ++j)
            p[half % 2][j] = is_used(2 * j) ? mma_pack(s[i][first + 2 * j], s[i][first + 2 * j + 1], T()) : 0;
    }
    template <int half> __device__ __forceinline__ void issue_pv() {
        const uint32_t v =
            descriptor_units(shared.v[part]) + half * (traits::v_half_bytes / 2 / DESCRIPTOR_UNIT);
        fa_hopper_issue_pv<T, D, N / 2>(o, p[half % 2], v, traits::atom_column_bytes, half == 0);
    }
    __device__ __forceinline__ void wait_pv() {
        warpgroup_wait<0>();
        warpgroup_fence_operand(o);
        warpgroup_fence_operand(p[0]);
        warpgroup_fence_operand(p[1]);
    }
    __device__ __forceinline__ void compute_o() {
        static_assert(halves == 4, "spelled out, as in compute_scores");
        take_half<0>();
        mbarrier_wait(&shared.v_full[part][0], 0);
        issue_pv<0>();
        take_half<1>();
        issue_pv<1>();
        wait_pv();
        take_half<2>();
        mbarrier_wait(&shared.v_full[part][1], 0);
        issue_pv<2>();
        take_half<3>();
        issue_pv<3>();
        wait_pv();
    }

    // ---- the end ----

    // Adds the parts: each of them the sums, and O in its half of the dimensions.
    __device__ __forceinline__ void add_parts(float (&own)[o_count]) {
        const int thread = (int)threadIdx.x % 128;
        uint32_t bits[4];
#pragma unroll
        for (int j = 0; j < o_count; ++j) {
            const int i = j / (2 * R) * 4 + j % (2 * R), from_half = 4 * o_groups;
            own[j] = part ? o[i + from_half] : o[i];
            bits[j % 4] = __float_as_uint(part ? o[i] : o[i + from_half]);
            if (j % 4 == 3) sts_128(smem_address(&shared.o[part ^ 1][j / 4][thread]), bits);
        }
        store_rows(&shared.sums[part ^ 1][thread], sum);
        named_barrier_sync(FA_HOPPER_RESIDENT_BARRIER);
        float other[R];
        load_rows(&shared.sums[part][thread], other);
#pragma unroll
        for (int r = 0; r < R; ++r) sum[r] = fa_hopper_quad_sum(sum[r] + other[r]);
#pragma unroll
        for (int j = 0; j < o_count; ++j) {
            if (j % 4 == 0) lds_128(bits, smem_address(&shared.o[part][j / 4][thread]));
            own[j] += __uint_as_float(bits[j % 4]);
        }
    }
    __device__ __forceinline__ void store(const float (&own)[o_count]) const {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (row() + 8 * r >= seq_q) continue;
            const bool sees_keys = !is_causal || fa_hopper_visible_keys(problem, row() + 8 * r) > 0;
            const float inverse = sees_keys ? rcp_approx(sum[r]) * scales.v : 0.0f;
            uint32_t *const pairs =
                reinterpret_cast<uint32_t *>(o_row + r * o_bytes) + part * o_groups * 4 + lane % 4;
#pragma unroll
            for (int j = 0; j < o_groups; ++j) {
                const int i = j * 2 * R + 2 * r;
                pairs[4 * j] = mma_pack(own[i] * inverse, own[i + 1] * inverse, T());
            }
            if (lse && part == 0 && lane % 4 == 0)
                lse[8 * r] = sees_keys ? shift[r] * FA_HOPPER_LN2 + __logf(sum[r]) : -INFINITY;
        }
    }
    // Whether the rows have to be computed again: NaN or infinity under a mask (fa_hopper_nan_fixup.cuh); a
    // factor of the scores below 0, for which their maxima are the wrong shifts. Both are seldom.
    __device__ __forceinline__ bool needs_fixup(const float (&own)[o_count]) const {
        return (traits::is_fp8 && scale_log2 < 0.0f) ||
               (is_causal && __any_sync(~0u, fa_hopper_has_nonfinite(own)));
    }
    __device__ __forceinline__ void fixup() const {
        const int first = row() - lane / 4, end = min(first + traits::warp_rows, seq_q);
        const int head = tile.batch * (int)problem.attention.args.heads + tile.head;
        __syncwarp(); // the rows that are written again are other lanes'
#pragma unroll 1
        for (int at = first; at < end; ++at)
            fa_hopper_fixup_row<D>(problem, head, at, lane, {part * D / 2, (part + 1) * D / 2});
    }

    __device__ __forceinline__ void run() {
        begin();
        float largest[R], own[o_count];
        compute_scores(largest);
        exchange_maxima(largest);
        compute_o();
        add_parts(own);
        store(own);
        if (needs_fixup(own)) fixup();
    }
};

#endif
