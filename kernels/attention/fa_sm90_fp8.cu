// SPDX-License-Identifier: Apache-2.0
//
// Attention forward in fp8 e4m3 on Hopper (sm_90a), O in fp16: warpgroup products (wgmma), tensor copies (TMA), warps with roles.
#include "attention/fa_hopper_host.cuh"
#include "attention/fa_hopper_repair.cuh"
#include "attention/fa_hopper_tiles.cuh"
#include "common/hopper.cuh"
#include "common/mma_sm89.cuh"
#include "common/mma_tile.cuh"

#include <assay/kernel.h>
#include <stdint.h>
#include <type_traits>

#ifndef KERNEL_NAME
#define KERNEL_NAME "fa_sm90_fp8"
#endif
#ifndef WARPGROUPS
#define WARPGROUPS 0
#endif
#ifndef EXACT
#define EXACT 1
#endif
#ifndef RSUM
#define RSUM 0
#endif
#ifndef SHIFT
#define SHIFT (EXACT ? 8.0f : 4.0f)
#endif
#ifndef SAMPLE
#define SAMPLE 4
#endif
#ifndef PARTS
#define PARTS 4
#endif
#ifndef P64
#define P64 __nv_fp8_e4m3
#endif
#ifndef P128
#define P128 __nv_fp8_e4m3
#endif
#ifndef ORDER
#define ORDER 1
#endif

#define LN2      0.69314718055994531f
#define FA_UNSET -1e30f // the reference of a row that has seen no key
#define FA_TINY                                                                                              \
    1e-30f // of the factor of the scores: less makes no difference to a weight, and 0 times infinity would
#define FA_LARGEST                                                                                           \
    0x410c1400      // 8.7549 = log2(432), where e4m3 rounds to its largest number; exponents above do not fit
#define FA_WIDERS 3 // warps that bring V into the products' layout

// D: head dimension, G: warpgroups that compute, N: keys of a block, P: type of the weights.
template <typename P_type, int D, int G, int N, bool has_lse_tensor> struct fa_shape {
    using P = P_type;
    static constexpr int dim = D, groups = G, keys = N, rows = G * FA_ROWS, threads = 128 * (G + 1);
    static constexpr bool is_e4m3 = std::is_same<P, __nv_fp8_e4m3>::value;
    static constexpr int key_bytes = N * D, q_bytes = FA_ROWS * D;
    static constexpr int ones =
        is_e4m3 && RSUM ? 8 : 0; // dimensions of V that are 1: their O is the sum of the weights
    static constexpr int value_bytes = N * (D + ones) * (int)sizeof(P),
                         outputs = (D + ones) / 2;         // of a thread
    static constexpr int store_bytes = FA_WARP_ROWS * 128; // of one column of 64
    static constexpr int parts = is_e4m3 ? PARTS : 0; // blocks whose P V the tensor cores add up; 0: of all
    static constexpr int out_bytes = FA_WARP_ROWS * D * (parts ? 4 : 2); // of a warp
    static constexpr int blocks_a_multiprocessor = G == 1 && D == 64 ? 2 : 1;
    static constexpr int raw_stages = G == 1 || D == 128 ? 2 : 3;
    static constexpr int room =
        225 * 1024 / blocks_a_multiprocessor - 2 * G * q_bytes - 4 * G * out_bytes - raw_stages * key_bytes;
    static constexpr int stages_fit = room / (key_bytes + value_bytes),
                         stages = stages_fit < 6 ? stages_fit : 6;
    static constexpr int registers = G == 4 ? 112 : G == 3 ? 160 : G == 1 && D == 64 ? 216 : 232;
    static constexpr int copy_registers = G == 4 ? 24 : G == 3 ? 32 : 40;
    // Sums of the weights as they are before rounding: for the log-sum-exp, and where nothing else says that a weight is too large.
    static constexpr bool is_exact = is_e4m3 && EXACT;
    static constexpr bool has_sums = has_lse_tensor || !ones;
    static constexpr float shift = is_e4m3 ? SHIFT : 0.0f; // the weight of a row's reference is 2^shift
    static constexpr int weight_registers = N * (int)sizeof(P) / 8;
};

struct fa_place {
    int head, batch;
    float score_factor, value_factor;
};

template <typename shape> struct fa_shared {
    alignas(1024) unsigned char v[shape::stages][shape::value_bytes]; // as the products take it
    alignas(1024) unsigned char k[shape::stages][shape::key_bytes];
    alignas(1024) unsigned char raw[shape::raw_stages][shape::key_bytes]; // V as it comes
    alignas(1024) unsigned char q[2][shape::groups][shape::q_bytes];
    alignas(1024) unsigned char out[shape::groups][4][shape::out_bytes]; // sums of parts; O on its way
    uint64_t full[shape::stages], empty[shape::stages], raw_full[shape::raw_stages],
        raw_empty[shape::raw_stages];
    uint64_t q_full[2], q_empty[2];
    fa_place place[FA_PLACES];
};

// ---- the warpgroup that copies: a thread of its first warp keeps the copy engine at work, the others bring V into place ----

template <typename shape> struct fa_copier {
    const fa_problem &problem;
    fa_shared<shape> &shared;
    fa_ring<shape::stages> ring;
    fa_ring<shape::raw_stages> raw;
    fa_ring<2> q;
    fa_ring<FA_PLACES> places;

    __device__ __forceinline__ void copy_q(int first_row, int head, int batch) {
        hopper_barrier_wait(&shared.q_empty[q.slot], q.turn ^ 1);
        hopper_barrier_expect(&shared.q_full[q.slot], shape::groups * shape::q_bytes);
        for (int group = 0; group < shape::groups; ++group)
            hopper_copy(hopper_shared(shared.q[q.slot][group]), &problem.q, &shared.q_full[q.slot],
                        {0, first_row + group * FA_ROWS, head, batch});
    }

    // Where the tile lies and its scales: the loads take their time while the copies run.
    __device__ __forceinline__ void publish_place(int head, int batch, int head_kv) {
        const float score = fa_score_factor(problem, batch, head, head_kv);
        shared.place[places.slot] = {head, batch, fabsf(score) < FA_TINY ? FA_TINY : score,
                                     fa_value_factor(problem, batch, head_kv)};
        hopper_barrier_arrive(&shared.q_full[q.slot]);
        places.next();
        q.next();
    }

    __device__ __forceinline__ void run() {
        const int heads = (int)problem.attention.args.heads, group = (int)problem.attention.args.group;
        fa_block<shape::rows, shape::keys, true> block(problem);
        bool has_next = true;
        while (has_next) {
            const int of_all = block.tile.head(problem), head = of_all % heads, batch = of_all / heads;
            const hopper_place keys = {0, block.first_key(), head / group, batch};
            const bool is_first = block.is_first();
            if (is_first) copy_q(block.first_row, head, batch);
            hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
            hopper_barrier_expect(&shared.full[ring.slot], shape::key_bytes);
            hopper_copy(hopper_shared(shared.k[ring.slot]), &problem.k, &shared.full[ring.slot], keys);
            hopper_barrier_wait(&shared.raw_empty[raw.slot], raw.turn ^ 1);
            hopper_barrier_expect(&shared.raw_full[raw.slot], shape::key_bytes);
            hopper_copy(hopper_shared(shared.raw[raw.slot]), &problem.v, &shared.raw_full[raw.slot], keys);
            if (is_first) publish_place(head, batch, keys.head);
            ring.next();
            raw.next();
            has_next = block.next(problem);
        }
        hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
        hopper_barrier_arrive(&shared.full[ring.slot]); // of the last stage, which has no K
    }
};

// V in e4m3: both operands of an e4m3 product have the depth along their rows, so that V lies transposed, a dimension a row. The
// weights of a thread are neighbours 2t, 2t + 1 of each group of eight keys, and their operand has 4t to 4t + 3 of each 16: 16 keys
// lie in the order 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15.
// ldmatrix moves pairs of bytes: transposed, a lane gets keys 2t and 2t + 1 of dimensions 2g and 2g + 1; of two such matrices, 8 keys
// apart, prmt makes four keys of one dimension, in that order. Lanes of g >= 4 give the odd dimension first, so that the eight rows
// of a matrix fall on all banks.
template <typename shape>
__device__ __forceinline__ void fa_place_values(uint32_t to, uint32_t raw, int warp, int lane,
                                                __nv_fp8_e4m3) {
    using layout_from = mma_swizzled<shape::dim / 16>;
    using layout_to = mma_swizzled<shape::keys / 16>;
    constexpr int chunks = shape::dim / 16;
    const uint32_t first = lane < 16 ? 0x6420 : 0x7531, second = lane < 16 ? 0x7531 : 0x6420;
    const int row = lane % 8, of_matrix = lane / 8;
    const uint32_t dimension = (uint32_t)(2 * row + ((row >= 4) ^ (of_matrix & 1)));
#pragma unroll 2
    for (int unit = warp; unit < shape::keys / 32 * chunks; unit += FA_WIDERS) {
        const uint32_t chunk = (uint32_t)(unit % chunks),
                       keys = (uint32_t)(unit / chunks); // 16 dimensions, 32 keys
        uint32_t in[4];
        mma_load_transposed(in, raw + layout_from::at(32 * keys + (uint32_t)lane, chunk) * MMA_CHUNK_BYTES);
        const uint32_t out[4] = {__byte_perm(in[0], in[1], first), __byte_perm(in[0], in[1], second),
                                 __byte_perm(in[2], in[3], first), __byte_perm(in[2], in[3], second)};
        hopper_store_matrices(to + layout_to::at(16 * chunk + dimension, 2 * keys + (uint32_t)of_matrix / 2) *
                                       MMA_CHUNK_BYTES,
                              out);
    }
}

// V widened to halves, exactly: keys in rows, 64 dimensions a column.
template <typename shape>
__device__ __forceinline__ void fa_place_values(uint32_t to, uint32_t raw, int warp, int lane, __half) {
    using layout_from = mma_swizzled<shape::dim / 16>;
    constexpr int chunks = shape::dim / 16;
#pragma unroll 2
    for (int unit = warp; unit < shape::keys * chunks / 32; unit += FA_WIDERS) {
        const uint32_t at = (uint32_t)(32 * unit + lane), chunk = at % chunks, key = at / chunks;
        uint32_t in[4], out[8];
        mma_load_chunk(in, raw + layout_from::at(key, chunk) * MMA_CHUNK_BYTES);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            out[2 * i] = mma_widen_pair(in[i]);
            out[2 * i + 1] = mma_widen_pair(in[i] >> 16);
        }
        const uint32_t column = to + chunk / 4 * (shape::keys * 128u), within = chunk % 4 * 2;
        const bool flips = chunk / 4 % 2; // the eight lanes of a row at D = 128 meet all banks
        uint32_t first[4], second[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            first[i] = flips ? out[4 + i] : out[i];
            second[i] = flips ? out[i] : out[4 + i];
        }
        mma_store_chunk(column + mma_swizzled<8>::at(key, within + flips) * MMA_CHUNK_BYTES, first);
        mma_store_chunk(column + mma_swizzled<8>::at(key, within + !flips) * MMA_CHUNK_BYTES, second);
    }
}

// One of the warps that bring V into place. A stage holds V of one block and K of the block behind it: the first one has no V.
template <typename shape>
__device__ __forceinline__ void fa_place_run(const fa_problem &problem, fa_shared<shape> &shared, int warp) {
    const int lane = (int)threadIdx.x % 32;
    fa_ring<shape::stages> ring;
    fa_ring<shape::raw_stages> raw;
    fa_block<shape::rows, shape::keys, true> block(problem);
    if (lane == 0) hopper_barrier_arrive(&shared.full[0]);
    bool has_next = true;
    while (has_next) {
        ring.next();
        hopper_barrier_wait(&shared.raw_full[raw.slot], raw.turn);
        hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
        fa_place_values<shape>(hopper_shared(shared.v[ring.slot]), hopper_shared(shared.raw[raw.slot]), warp,
                               lane, typename shape::P());
        hopper_fence_proxy();
        __syncwarp();
        if (lane == 0) {
            hopper_barrier_arrive(&shared.full[ring.slot]);
            hopper_barrier_arrive(&shared.raw_empty[raw.slot]);
        }
        raw.next();
        has_next = block.next(problem);
    }
}

// ---- scores and weights ----

// Of a thread's two rows, 8 apart. Weights are 2^(score - reference).
struct fa_rows {
    float reference[2];
    float sum[2]; // of this thread's columns
    float rounded
        [2]; // of all columns, of weights as they are multiplied; what parts() does not hold is among the outputs
};

__device__ __forceinline__ float fa_exp2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float fa_reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float fa_quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float fa_quad_sum(float x) {
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

// Keys that a row does not see get `masked`. first_key: of the block's keys for this thread, whose columns are 8 i, 8 i + 1 from
// there. Bits of a word become predicates eight at a time: cheaper than a comparison a score.
template <int count>
__device__ __forceinline__ void fa_mask(float (&s)[count], const int (&visible)[2], int first_key,
                                        float masked) {
    static_assert(count / 2 <= 32, "a row's scores in a thread are bits of a word");
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const int left = max(0, visible[r] - first_key), seen = left / 8 * 2 + min(left % 8, 2);
        const uint32_t bits = seen >= 32 ? ~0u : (1u << seen) - 1;
#pragma unroll
        for (int i = 0; i < count / 2; ++i) {
            float &score = s[i / 2 * 4 + 2 * r + i % 2];
            score = bits & 1u << i ? score : masked;
        }
    }
}

// The largest exponent of each row among every `stride`-th group of eight keys.
template <int stride, int count>
__device__ __forceinline__ void fa_largest(const float (&s)[count], float factor, float (&ret)[2]) {
    ret[0] = ret[1] = -INFINITY;
#pragma unroll
    for (int i = 0; i < count; ++i)
        if (i / 4 % stride == 0) ret[i / 2 % 2] = fmaxf(ret[i / 2 % 2], s[i] * factor);
    ret[0] = fa_quad_max(ret[0]);
    ret[1] = fa_quad_max(ret[1]);
}

// Scores [first, last) become weights; sum: of this thread's columns, added to.
template <int first, int last, bool has_sums, bool are_exponents, int count>
__device__ __forceinline__ void fa_weights(float (&s)[count], float factor, const float (&reference)[2],
                                           float (&sum)[2]) {
#pragma unroll
    for (int i = first; i < last; ++i) {
        s[i] = fa_exp2(are_exponents ? s[i] : fmaf(s[i], factor, -reference[i / 2 % 2]));
        if (has_sums) sum[i / 2 % 2] += s[i];
    }
}

// Scores become exponents; largest: the largest of each row as integers, which is right among those above 0.
template <int count>
__device__ __forceinline__ void fa_exponents(float (&s)[count], float factor, const float (&reference)[2],
                                             int (&largest)[2]) {
    largest[0] = largest[1] = 0;
#pragma unroll
    for (int i = 0; i < count; i += 4)
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            float *x = s + i + 2 * r;
            x[0] = fmaf(x[0], factor, -reference[r]);
            x[1] = fmaf(x[1], factor, -reference[r]);
            largest[r] = __vimax3_s32(largest[r], __float_as_int(x[0]), __float_as_int(x[1]));
        }
}

template <int first, int last, int count>
__device__ __forceinline__ void fa_round(const float (&s)[count], uint32_t (&p)[count / 4], __nv_fp8_e4m3) {
#pragma unroll
    for (int i = first / 4; i < last / 4; ++i) { // 4 step + 2 half + row
        const float *c = s + i / 2 * 8 + i % 2 * 2;
        p[i] = mma_pack_quad(c[0], c[1], c[4], c[5]);
    }
}
template <int first, int last, int count>
__device__ __forceinline__ void fa_round(const float (&s)[count], uint32_t (&p)[count / 2], __half) {
#pragma unroll
    for (int i = first / 2; i < last / 2; ++i) p[i] = mma_pack(s[2 * i], s[2 * i + 1], __half());
}

// Is a weight beyond what its type holds? e4m3: the largest number or NaN. fp16, by the sums: far below its largest.
template <int count>
__device__ __forceinline__ bool fa_is_too_large(const uint32_t (&p)[count], const float (&)[2],
                                                __nv_fp8_e4m3) {
    uint32_t carry = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) carry |= p[i] + 0x02020202u;
    return (carry & 0x80808080u) != 0;
}
template <int count>
__device__ __forceinline__ bool fa_is_too_large(const uint32_t (&)[count], const float (&sum)[2], __half) {
    return fmaxf(sum[0], sum[1]) > 32768.0f;
}

// What follows is not taken up before this weight is known.
__device__ __forceinline__ void fa_pin(float weight) {
    if (__any_sync(~0u, weight > 3e38f)) asm volatile("nanosleep.u32 0;" ::: "memory");
}

template <int D, int N>
__device__ __forceinline__ void fa_issue_scores(float (&s)[N / 2], uint32_t q, uint32_t k) {
    hopper_fence();
#pragma unroll
    for (int step = 0; step < D / 32; ++step)
        hopper_scores(s, hopper_operand_bytes<D>(q) + step * HOPPER_STEP_K_MAJOR,
                      hopper_operand_bytes<D>(k) + step * HOPPER_STEP_K_MAJOR, step > 0, __nv_fp8_e4m3());
    hopper_commit();
}

template <int D, int N, int outputs>
__device__ __forceinline__ void fa_issue_output(float (&o)[outputs], const uint32_t (&p)[N / 8], uint32_t v,
                                                bool is_first, __nv_fp8_e4m3 type) {
    hopper_fence();
#pragma unroll
    for (int step = 0; step < N / 32; ++step)
        hopper_weighted(o, p + 4 * step, hopper_operand_bytes<N>(v) + step * HOPPER_STEP_K_MAJOR,
                        step > 0 || !is_first, type);
    hopper_commit();
}
template <int D, int N, int outputs>
__device__ __forceinline__ void fa_issue_output(float (&o)[outputs], const uint32_t (&p)[N / 4], uint32_t v,
                                                bool is_first, __half type) {
    hopper_fence();
#pragma unroll
    for (int step = 0; step < N / 16; ++step)
        hopper_weighted(o, p + 4 * step,
                        hopper_operand(v, D > 64 ? N * 128 : 16) + step * HOPPER_STEP_M_MAJOR,
                        step > 0 || !is_first, type);
    hopper_commit();
}

// The same scores by this warp alone, from the tiles that are still there; in the same places of a thread.
template <int D, int N>
__device__ __forceinline__ void fa_scores_again(float (&s)[N / 2], uint32_t q, uint32_t k, int lane) {
    using layout = mma_swizzled<D / 16>;
#pragma unroll
    for (int n = 0; n < N / 16; ++n) {
        float c[2][4] = {};
#pragma unroll
        for (int step = 0; step < D / 32; ++step) {
            uint32_t a[4], b[4];
            mma_tile_a<layout>(a, q, 0, step, lane);
            mma_tile_b_columns<layout>(b, k, 16 * n, step, lane);
            mma_multiply(c[0], a, b[0], b[1], __nv_fp8_e4m3());
            mma_multiply(c[1], a, b[2], b[3], __nv_fp8_e4m3());
            hopper_hold(c[0]); // one after the other: together they need more registers than there are
            hopper_hold(c[1]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) s[8 * n + i] = c[i / 4][i % 4];
    }
}

// ---- a warpgroup that computes ----

// Its way through its stream of blocks.
template <typename shape> struct fa_stream {
    static constexpr int D = shape::dim, G = shape::groups, N = shape::keys;
    static constexpr int scores = N / 2; // of a thread
    static constexpr bool has_sums = shape::has_sums;
    using P = typename shape::P;
    const fa_problem &problem;
    fa_shared<shape> &shared;
    fa_block<shape::rows, N, true> block; // whose scores are at work
    fa_ring<shape::stages> ring;          // stage of its K
    fa_ring<2> q;
    fa_ring<FA_PLACES> place;
    float s[scores], o[shape::outputs]; // behind O, in e4m3: sums of the weights
    uint32_t p[shape::weight_registers];
    fa_rows rows;
    int group, warp; // the same in all lanes, which a shuffle tells the compiler
    float factor;    // of the tile's scores
    bool is_unset;   // some row of the warp has no reference yet
    bool is_special = false;

    __device__ __forceinline__ fa_stream(const fa_problem &of, fa_shared<shape> &in)
        : problem(of), shared(in), block(of), group(__shfl_sync(~0u, (int)threadIdx.x / 128, 0)),
          warp(__shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0)) {}

    // Read anew by every call: it is not kept in a register from one to the next.
    __device__ __forceinline__ int lane() const {
        int ret;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(ret));
        return ret;
    }
    __device__ __forceinline__ int first_of_warp() const { return group * FA_ROWS + warp * FA_WARP_ROWS; }

    // Warpgroups issue their products in turn, so that one's weights are taken under another's products.
    __device__ __forceinline__ void my_turn() {
        if (ORDER && G > 1) asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");
    }
    __device__ __forceinline__ void next_turn() {
        if (ORDER && G > 1)
            asm volatile("bar.arrive %0, 256;" ::"r"(1 + (group + 1 == G ? 0 : group + 1)) : "memory");
    }

    __device__ __forceinline__ uint32_t shared_q() const { return hopper_shared(shared.q[q.slot][group]); }
    __device__ __forceinline__ uint32_t shared_k() const { return hopper_shared(shared.k[ring.slot]); }
    __device__ __forceinline__ uint32_t shared_v() const { return hopper_shared(shared.v[ring.slot]); }

    __device__ __forceinline__ void mask() {
        const int first_key = block.first_key(), of_lane = lane();
        const int row = block.first_row + first_of_warp() + of_lane / 4;
        const int visible[2] = {fa_visible(problem, row), fa_visible(problem, row + 8)};
        if (__any_sync(~0u, min(visible[0], visible[1]) < first_key + N))
            fa_mask(s, visible, first_key + of_lane % 4 * 2, copysignf(INFINITY, -factor));
    }

    // A tile's rows, before its first scores are looked at.
    __device__ __forceinline__ void start_rows() {
        factor = *(volatile float *)&shared.place[place.slot].score_factor;
        rows.reference[0] = rows.reference[1] = FA_UNSET;
        is_unset = true;
        rows.sum[0] = rows.sum[1] = rows.rounded[0] = rows.rounded[1] = 0.0f;
    }

    // References of rows that see their first keys: near the maximum, and not above it.
    __device__ __forceinline__ void find_references() {
        float largest[2];
        fa_largest<SAMPLE>(s, factor, largest);
#pragma unroll
        for (int r = 0; r < 2; ++r)
            if (rows.reference[r] == FA_UNSET) rows.reference[r] = fmaxf(largest[r] - shape::shift, FA_UNSET);
        is_unset = __any_sync(~0u, fminf(rows.reference[0], rows.reference[1]) == FA_UNSET);
    }

    // Where a lane keeps the sums of parts: every 32nd from here, four a time.
    __device__ __forceinline__ float4 *parts() {
        return reinterpret_cast<float4 *>(shared.out[group][warp]) + lane();
    }
    __device__ __forceinline__ static bool has_parts(int blocks) {
        return shape::parts && blocks >= shape::parts;
    }

    // What the tile's rows have so far is multiplied by `lower`.
    __device__ __forceinline__ void lower_rows(const float (&lower)[2]) {
        rows.sum[0] *= lower[0];
        rows.sum[1] *= lower[1];
        if (block.is_first()) return;
        rows.rounded[0] *= lower[0];
        rows.rounded[1] *= lower[1];
#pragma unroll
        for (int i = 0; i < shape::outputs; ++i) o[i] *= lower[i / 2 % 2];
        if (!has_parts(block.index - 1)) return;
        float4 *part = parts();
#pragma unroll 1
        for (int i = 0; i < D / 8; ++i) {
            const float4 c = part[32 * i];
            part[32 * i] = make_float4(c.x * lower[0], c.y * lower[0], c.z * lower[1], c.w * lower[1]);
        }
    }

    // Exponents of the rows whose largest, of this thread's as an integer, is too large: their references become the maxima.
    __device__ __forceinline__ void raise_references(int (&largest)[2]) {
        float lower[2], raise[2];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            largest[r] = max(largest[r], __shfl_xor_sync(~0u, largest[r], 1));
            largest[r] = max(largest[r], __shfl_xor_sync(~0u, largest[r], 2));
            raise[r] = largest[r] > FA_LARGEST ? __int_as_float(largest[r]) - shape::shift : 0.0f;
            rows.reference[r] += raise[r];
            lower[r] = fa_exp2(-raise[r]);
        }
        lower_rows(lower);
#pragma unroll
        for (int i = 0; i < scores; ++i) s[i] -= raise[i / 2 % 2];
    }

    // The weights did not fit: from the scores again, with the rows' maxima taken anew.
    __device__ __forceinline__ void weigh_again(float (&sum)[2]) {
        fa_scores_again<D, N>(s, shared_q() + warp * FA_WARP_ROWS * D, shared_k(), lane());
        if (block.is_masked()) mask();
        float largest[2], lower[2];
        fa_largest<1>(s, factor, largest);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const float reference = fmaxf(rows.reference[r], largest[r] - shape::shift);
            lower[r] = fa_exp2(rows.reference[r] - reference);
            rows.reference[r] = reference;
        }
        lower_rows(lower);
        sum[0] = sum[1] = 0.0f;
        fa_weights<0, scores, has_sums, false>(s, factor, rows.reference, sum);
        fa_round<0, scores>(s, p, P());
    }

    // Scores become weights and then P. P V of the block before may run until `wait`.
    template <typename F> __device__ __forceinline__ void weigh(F wait) {
        float sum[2] = {0.0f, 0.0f};
        if (shape::is_exact) {
            int largest[2];
            fa_exponents(s, factor, rows.reference, largest);
            if (__builtin_expect(__any_sync(~0u, max(largest[0], largest[1]) > FA_LARGEST), 0)) {
                wait();
                raise_references(largest);
            }
        }
        fa_weights<0, scores / 2, has_sums, shape::is_exact>(s, factor, rows.reference, sum);
        fa_pin(s[scores / 2 - 9]);
        wait();
        fa_round<0, scores / 2>(s, p, P());
        fa_weights<scores / 2, scores, has_sums, shape::is_exact>(s, factor, rows.reference, sum);
        fa_round<scores / 2, scores>(s, p, P());
        if (!shape::is_exact && __builtin_expect(__any_sync(~0u, fa_is_too_large(p, sum, P())), 0))
            weigh_again(sum);
        if (has_sums) {
            rows.sum[0] += sum[0];
            rows.sum[1] += sum[1];
        }
    }

    // The block's K, the V before it and, behind a tile's last block, its Q are no longer needed.
    __device__ __forceinline__ void release() {
        if (lane() == 0) {
            hopper_barrier_arrive(&shared.empty[ring.slot]);
            if (block.is_last()) hopper_barrier_arrive(&shared.q_empty[q.slot]);
        }
    }

    // Behind a tile's last block.
    __device__ __forceinline__ void store_lse() {
        const int of_lane = lane(), row = block.first_row + first_of_warp() + of_lane / 4;
        const float sum[2] = {fa_quad_sum(rows.sum[0]), fa_quad_sum(rows.sum[1])};
        float *lse = problem.attention.data.lse;
        if (!lse || of_lane % 4 != 0) return;
        lse += (int64_t)block.tile.head(problem) * problem.attention.args.seq_q + row;
#pragma unroll
        for (int r = 0; r < 2; ++r)
            if (row + 8 * r < (int)problem.attention.args.seq_q)
                lse[8 * r] = fa_visible(problem, row + 8 * r) > 0 ? rows.reference[r] * LN2 + __logf(sum[r])
                                                                  : -INFINITY;
    }

    // What a tile's O has to be multiplied by. A row that sees no key has sum 0 and O 0.
    __device__ __forceinline__ static float inverse_of(float sum) {
        return sum == 0.0f ? 0.0f : fa_reciprocal(sum);
    }

    // O of some blocks is added to where it cannot lose bits: the tensor cores keep 14 of what they add up.
    __device__ __forceinline__ void put_part(bool is_first) {
        float4 *part = parts();
        if constexpr (shape::ones > 0) {
            rows.rounded[0] += o[D / 2];
            rows.rounded[1] += o[D / 2 + 2];
        }
        if (is_first) {
            if (lane() == 0) hopper_store_wait_read();
            __syncwarp();
        }
#pragma unroll
        for (int i = 0; i < D / 8; ++i) {
            float4 c = make_float4(o[4 * i], o[4 * i + 1], o[4 * i + 2], o[4 * i + 3]);
            if (!is_first) {
                const float4 before = part[32 * i];
                c = make_float4(c.x + before.x, c.y + before.y, c.z + before.z, c.w + before.w);
            }
            part[32 * i] = c;
        }
    }
    __device__ __forceinline__ void add_parts() {
        const float4 *part = parts();
#pragma unroll
        for (int i = 0; i < D / 8; ++i) {
            const float4 c = part[32 * i];
            o[4 * i] += c.x, o[4 * i + 1] += c.y, o[4 * i + 2] += c.z, o[4 * i + 3] += c.w;
        }
        __syncwarp();
    }

    // Under a mask: does O hold what is not finite, perhaps from keys that a row does not see?
    __device__ __forceinline__ void look_for_special() {
        float zero = 0.0f;
#pragma unroll
        for (int i = 0; i < shape::outputs; ++i) zero = fmaf(o[i], 0.0f, zero);
        is_special |= zero != 0.0f;
    }

    // O of a finished tile to its place, through shared memory.
    __device__ __forceinline__ void store(const float (&sum)[2], int first_row, const fa_place &to) {
        const int of_lane = lane();
        if (fa_has_mask(problem)) look_for_special();
        const float inverse[2] = {inverse_of(sum[0]) * to.value_factor, inverse_of(sum[1]) * to.value_factor};
        if (of_lane == 0) hopper_store_wait_read();
        __syncwarp();
        const uint32_t staging = hopper_shared(shared.out[group][warp]);
        const uint32_t at = staging + (uint32_t)(of_lane % 16) * 128;
#pragma unroll
        for (int i = 0; i < D / 8; i += 2) {
            uint32_t pieces[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float *c = o + 4 * i + 2 * e;
                pieces[e] = mma_pack(c[0] * inverse[e % 2], c[1] * inverse[e % 2], __half());
            }
            hopper_store_matrices(
                at + i / 8 * shape::store_bytes + (((i % 8 + of_lane / 16) ^ (of_lane % 8)) * 16), pieces);
        }
        hopper_fence_proxy();
        __syncwarp();
        if (of_lane == 0) {
#pragma unroll
            for (int c = 0; c < D / HOPPER_COLUMN; ++c)
                hopper_store(&problem.o, staging + c * shape::store_bytes,
                             {c * HOPPER_COLUMN, first_row + first_of_warp(), to.head, to.batch});
            hopper_store_commit();
        }
    }

    // P V of the block at work and Q K^T of the next one, whose weights are taken under P V. False when there is none.
    __device__ __forceinline__ bool step() {
        const bool was_last = block.is_last();
        const int first_row = block.first_row, index = block.index, was_place = place.slot;
        float sum[2] = {rows.rounded[0], rows.rounded[1]};
        if (was_last && has_sums) {
            store_lse();
            if (!shape::ones) sum[0] = fa_quad_sum(rows.sum[0]), sum[1] = fa_quad_sum(rows.sum[1]);
        }
        const bool has_next = block.next(problem);
        ring.next();
        hopper_barrier_wait(&shared.full[ring.slot], ring.turn);
        if (was_last && has_next) {
            q.next();
            place.next();
            hopper_barrier_wait(&shared.q_full[q.slot], q.turn);
        }
        my_turn();
        // Behind the last block a product of what lies there, for nobody: the compiler has to see the same products in all steps.
        fa_issue_scores<D, N>(s, shared_q(), shared_k());
        fa_issue_output<D, N>(o, p, shared_v(), shape::parts ? index % shape::parts == 0 : index == 0, P());
        next_turn();
        const bool masks = block.is_masked();
        hopper_wait<1>();
        hopper_hold(s);
        if (has_next) {
            if (was_last) start_rows();
            if (masks) mask();
            if (is_unset) find_references();
            weigh([&] {
                hopper_wait<0>();
                hopper_hold(o);
                hopper_hold(p);
            });
            release();
        }
        hopper_wait<0>();
        hopper_hold(o);
        if (was_last) {
            if (has_parts(index)) add_parts();
            if constexpr (shape::ones > 0) sum[0] += o[D / 2], sum[1] += o[D / 2 + 2];
            store(sum, first_row, shared.place[was_place]);
        } else if (has_parts(index + 1) && (index + 1) % shape::parts == 0) {
            put_part(index + 1 == shape::parts);
        }
        return has_next;
    }

    __device__ __forceinline__ void run() {
        hopper_barrier_wait(&shared.full[0], 0);
        hopper_barrier_wait(&shared.q_full[0], 0);
        if (group == G - 1) next_turn();
        fa_issue_scores<D, N>(s, shared_q(), shared_k());
        hopper_wait<0>();
        hopper_hold(s);
        start_rows();
        if (block.is_masked()) mask();
        find_references();
        weigh([] {});
        release();
        while (step())
            ;
        if (lane() == 0) hopper_store_wait();
        if (fa_has_mask(problem) && __any_sync(~0u, is_special)) {
            hopper_fence_proxy_global();
            fa_repair<D, shape::rows>(problem, first_of_warp(), lane());
        }
    }
};

template <typename shape>
__global__ void __launch_bounds__(shape::threads, shape::blocks_a_multiprocessor)
    fa_kernel(const __grid_constant__ fa_problem problem) {
    constexpr int G = shape::groups;
    extern __shared__ unsigned char raw[];
    fa_shared<shape> &shared =
        *reinterpret_cast<fa_shared<shape> *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~(uintptr_t)1023);
    for (int i = (int)threadIdx.x; i < shape::stages * shape::ones * shape::keys / 4; i += shape::threads)
        reinterpret_cast<uint32_t *>(shared.v[i / (2 * shape::keys)] +
                                     shape::dim * shape::keys)[i % (2 * shape::keys)] = 0x38383838u;
    hopper_fence_proxy();
    if (threadIdx.x == 0) {
        hopper_prefetch_map(&problem.q);
        hopper_prefetch_map(&problem.k);
        hopper_prefetch_map(&problem.v);
        hopper_prefetch_map(&problem.o);
        for (int i = 0; i < shape::stages; ++i) {
            hopper_barrier_init(&shared.full[i], 1 + FA_WIDERS);
            hopper_barrier_init(&shared.empty[i],
                                4 * G); // one arrival a warp: it waits for its own products only
        }
        for (int i = 0; i < shape::raw_stages; ++i) {
            hopper_barrier_init(&shared.raw_full[i], 1);
            hopper_barrier_init(&shared.raw_empty[i], FA_WIDERS);
        }
        for (int i = 0; i < 2; ++i) {
            hopper_barrier_init(&shared.q_full[i], 2);
            hopper_barrier_init(&shared.q_empty[i], 4 * G);
        }
        hopper_barrier_publish();
    }
    __syncthreads();
    if ((int)threadIdx.x / 128 == G) {
        hopper_registers_fewer<shape::copy_registers>();
        const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0);
        if (warp > 0) {
            fa_place_run<shape>(problem, shared, warp - 1);
        } else if (threadIdx.x % 32 == 0) {
            fa_copier<shape> copier{problem, shared};
            copier.run();
        }
    } else {
        hopper_registers_more<shape::registers>();
        fa_stream<shape> stream(problem, shared);
        stream.run();
    }
}

// ---- the host's part ----

template <typename P, int D, int G, int N>
static constexpr struct fa_form fa_form_of(double alone_clk, double shared_clk, double tile_clk) {
    using shape = fa_shape<P, D, G, N, true>; // has more to keep
    return {{(const void *)fa_kernel<fa_shape<P, D, G, N, false>>, (const void *)fa_kernel<shape>},
            D,
            G,
            false,
            shape::rows,
            N,
            shape::threads,
            shape::blocks_a_multiprocessor,
            1024 + sizeof(fa_shared<shape>),
            alone_clk,
            shared_clk,
            tile_clk};
}

#ifndef FORMS
#define FORMS                                                                                                \
    fa_form_of<P64, 64, 1, 128>(1300, 1900, 1300), fa_form_of<P64, 64, 2, 128>(1800, 1800, 1300),            \
        fa_form_of<P64, 64, 3, 128>(2150, 2150, 1300), fa_form_of<P128, 128, 1, 128>(1500, 1500, 1300),      \
        fa_form_of<P128, 128, 2, 128>(2200, 2200, 1300)
#endif
static const struct fa_form fa_forms[] = {FORMS};

static int fa_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.q.dtype != ASSAY_FP8_E4M3 || args.k.dtype != args.q.dtype || args.v.dtype != args.q.dtype ||
        args.o.dtype != ASSAY_FP16)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "only fp8 e4m3, the same for Q, K and V, with O in fp16");
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
        fa_choose(fa_forms, sizeof fa_forms / sizeof *fa_forms, args, WARPGROUPS, device.multiprocessors);
    if (!form)
        return assay_say(
            message, ASSAY_UNSUPPORTED,
            "this head dimension has no form with so many warpgroups (WARPGROUPS): 0 lets the kernel choose");
    struct fa_state *self = nullptr;
    const void *kernel = form->kernels[assay_tensor_find(&problem->tensors, ASSAY_LSE) != nullptr];
    status = fa_hopper_prepare(args, {form, kernel, &device}, &self, message);
    if (status == ASSAY_OK) *state = self;
    return status;
}

static const struct assay_kernel fa_kernels[] = {{
    sizeof(struct assay_kernel),
    ASSAY_ABI_VERSION,
    KERNEL_NAME,
    "attention",
    "cuda",
    fa_supports,
    fa_hopper_launch,
    fa_prepare,
    fa_hopper_release,
    nullptr,
    0,
    0,
    nullptr,
    "fp8 e4m3 by wgmma, TMA, warps with roles; D = 64 and 128, Hopper",
}};

ASSAY_MODULE(fa_kernels)
