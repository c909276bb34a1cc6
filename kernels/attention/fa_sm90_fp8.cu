// SPDX-License-Identifier: Apache-2.0
//
// Attention forward in fp8 e4m3 on Hopper (sm_90a), D = 64 and 128, O in fp16: warpgroup products (wgmma), tensor copies (TMA),
// warps with roles. Any lengths, grouped heads, both causal kinds, log-sum-exp, scales a head.
//
// Algorithm: that of fa_sm90.cu, with Q K^T by wgmma on the bytes as they are (m64nNk32). wgmma takes e4m3 only with the depth along
// the rows of both operands, which V's are not: three warps of the copying warpgroup bring V into place (fa_hopper_values.cuh). The
// weights P, by form:
//   half   P and V in fp16, V widened: no rounding but that of the inputs is coarser than fp16's. Weights as in fa_sm90.
//   e4m3   P scaled by 2^8 and rounded to e4m3, V transposed: twice the rate. The weight of a row's maximum is then exact, which
//          counts where few keys matter: a reference is kept until an exponent above log2(432) would be 448 or more, then becomes
//          the maximum (exponents are compared as integers, two a VIMNMX3). Sums are of the weights before rounding. The
//          accumulator keeps about 14 bits of a sum: that of a few blocks is put aside in shared memory and added up in fp32. K
//          is walked from its end: a row that looks at its first keys most (sinks) has weighed the others before it meets those.
// The scales of Q and K are the factor of a tile's scores, that of V is O's. A factor below 0 changes the sign of the scores.
// NaN in V under a mask: as in fa_sm90. e4m3 has no infinity.
//
// Forms (rows x keys of a step, registers of computing and copying threads, stages of K and V, shared memory):
//   D =  64, half: G = 1   64 x 128   216 + 40   3 x 24 KiB   106 KiB, two blocks a multiprocessor
//                  G = 2  128 x 128   232 + 40   6 x 24 KiB   202 KiB
//                  G = 3  192 x 128   160 + 32   6 x 24 KiB   218 KiB
//                  G = 4  256 x 64    112 + 24   6 x 12 KiB   150 KiB
//   D = 128, e4m3: G = 1   64 x 128   232 + 40   4 x 32 KiB   210 KiB
//                  G = 2  128 x 128   232 + 40   3 x 32 KiB   226 KiB
//                  G = 3  192 x 64    160 + 32   4 x 16 KiB   226 KiB
// and, with SPLIT_KEYS, some that split the keys of 64 rows among 2 or 4 warpgroups. Nothing is spilled.
//
// Expected limit: at D = 64 the exponential unit: 64 x 128 scores take 512 clocks there, 384 (half) or 256 (e4m3) on the tensor
// cores. At D = 128 both alike with e4m3.
// Tried and lost, by emulation: references from a sample as in fa_sm90 with e4m3 (the largest weight is rounded too: 1.5 to 3 times
// plain's error where one key counts); the sum of the rounded weights, by eight dimensions of V that are 1, in place of the true one
// (saves the additions, but what is rounded to 0 is missing in it: 4 times plain's error beside an outlier).
#include "attention/fa_hopper_half.cuh"
#include "attention/fa_hopper_host.cuh"
#include "attention/fa_hopper_stream.cuh"
#include "attention/fa_hopper_values.cuh"
#include "attention/fa_sm90_fp8_dispatch.h"
#include "common/hopper.cuh"
#include "common/mma_sm89.cuh"
#include "common/mma_tile.cuh"

#include <assay/kernel.h>
#include <cuda_fp8.h>
#include <stdint.h>
#include <type_traits>

#ifndef KERNEL_NAME
#define KERNEL_NAME "fa_sm90_fp8"
#endif
#ifndef KEYS_ADDED // e4m3: keys whose P V the tensor cores add up
#define KEYS_ADDED 512
#endif

// e4m3: the weight of a row's maximum is 2^8. FA_EXPONENT: the bits of log2(432), above which a weight becomes 448, the largest.
#define FA_SHIFT    8.0f
#define FA_EXPONENT 0x410c1400
#define FA_UNSET    -1e30f // the reference of a row that has seen no key

// P: type of the weights. D: head dimension, G: warpgroups that compute, N: keys that each of them takes in a step. is_split: all of
// them have the same 64 query rows and each its own keys; else each has its own rows, and all the same keys.
template <typename P, int D, int G, int N, bool split> struct fa_shape {
    using weight_type = P;
    static constexpr bool is_split = split, is_e4m3 = std::is_same<P, __nv_fp8_e4m3>::value,
                          is_reverse = is_e4m3;
    static constexpr int warpgroups = G, step_keys = N, weight_registers = N * (int)sizeof(P) / 8;
    static constexpr int dim = D, groups = split ? 1 : G, rows = groups * FA_ROWS, threads = 128 * (G + 1);
    static constexpr int keys = split ? G * N : N;               // of a block
    static constexpr int columns = 1, column_bytes = keys * 128; // columns: of Q, K, V as they arrive
    static constexpr int key_bytes = keys * D, value_bytes = keys * D * (int)sizeof(P), q_bytes = FA_ROWS * D;
    static constexpr int store_bytes = FA_WARP_ROWS * 128; // of one column of 64 of O
    // Steps whose P V the tensor cores add up; 0: all. Else a warp's place in `o` holds their sums too, in float.
    static constexpr int blocks_added = is_e4m3 ? KEYS_ADDED / N : 0;
    static constexpr int o_groups = blocks_added ? G : groups,
                         o_bytes = FA_WARP_ROWS * D * (blocks_added ? 4 : 2);
    static constexpr int blocks_a_multiprocessor = G == 1 && D == 64 ? 2 : 1;
    static constexpr int parts = split ? G - 1 : 0,
                         part_words = D / 2 + 4; // what a thread hands over to the first warpgroup
    static constexpr int raw_stages = groups == 1 || D == 128 ? 2 : 3;
    static constexpr int room = 225 * 1024 / blocks_a_multiprocessor - groups * 2 * q_bytes -
                                o_groups * 4 * o_bytes - raw_stages * key_bytes -
                                parts * 128 * part_words * 4;
    static constexpr int stages_in_room = room / (key_bytes + value_bytes);
    static constexpr int stages = stages_in_room < 6 ? stages_in_room : 6;
    // 65536 registers: what the copying warpgroup gives up the others take.
    static constexpr int registers = G == 4 ? 112 : G == 3 ? 160 : G == 1 && D == 64 ? 216 : 232;
    static constexpr int copy_registers = G >= 3 ? 32 : 40;
};

template <typename shape> struct fa_shared {
    alignas(1024) unsigned char v[shape::stages][shape::value_bytes]; // as the products take it
    alignas(1024) unsigned char k[shape::stages][shape::key_bytes];
    alignas(1024) unsigned char raw[shape::raw_stages][shape::key_bytes]; // V as it arrives
    alignas(1024) unsigned char q[2][shape::groups][shape::q_bytes];
    alignas(1024) unsigned char o[shape::o_groups][4][shape::o_bytes];
    uint64_t full[shape::stages], empty[shape::stages];
    uint64_t raw_full[shape::raw_stages], raw_empty[shape::raw_stages], q_full[2][shape::groups], q_empty[2];
    int2 place[FA_PLACES];         // head and batch of a tile
    float value_factor[FA_PLACES]; // beside the place
    float4 score_factor[2][8];     // beside Q, for each lane
    float parts[shape::is_split ? shape::parts : 1][shape::is_split ? shape::part_words : 1]
               [128]; // by thread
};

// ---- scores ----

template <int D, int N>
__device__ __forceinline__ void fa_issue_scores(float (&s)[N / 2], uint32_t q, uint32_t k) {
    hopper_fence();
#pragma unroll
    for (int step = 0; step < D / 32; ++step)
        hopper_scores(s, hopper_operand_bytes<D>(q + step * HOPPER_STEP_K_MAJOR),
                      hopper_operand_bytes<D>(k + step * HOPPER_STEP_K_MAJOR), step > 0, __nv_fp8_e4m3());
    hopper_commit();
}

// The same scores by this warp alone, from the tiles that are still there; in the same places of a thread. sm_90 has no mma.sync of
// e4m3: operands are widened, two of four neighbouring bytes a word, so that the depth has another order in both.
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
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const uint32_t *of = a + 2 * half;
                const uint32_t wide[4] = {mma_widen_pair(of[0]), mma_widen_pair(of[1]),
                                          mma_widen_pair(of[0] >> 16), mma_widen_pair(of[1] >> 16)};
#pragma unroll
                for (int i = 0; i < 2; ++i)
                    mma_multiply(c[i], wide, mma_widen_pair(b[2 * i + half]),
                                 mma_widen_pair(b[2 * i + half] >> 16), __half());
            }
            hopper_hold(c[0]); // one after the other: together they need more registers than there are
            hopper_hold(c[1]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) s[8 * n + i] = c[i / 4][i % 4];
    }
}

// What fp8 adds to a computing warpgroup, whatever its weights are. base: with the weights; kind: in the end.
template <typename kind, typename shape, typename base> struct fa_fp8_stream : base {
    using base::base, base::group, base::lane, base::origin, base::place, base::q, base::q_units, base::ring,
        base::s, base::self, base::shared, base::shared_q, base::warp;
    static constexpr int D = shape::dim, N = shape::step_keys;
    float
        factor; // of the tile's scores; below 0 it changes their signs. Read anew for every step: no register holds it longer

    __device__ __forceinline__ uint32_t k_units() const {
        return origin + offsetof(fa_shared<shape>, k) / HOPPER_UNIT +
               (uint32_t)ring.slot * (shape::key_bytes / HOPPER_UNIT) +
               (shape::is_split ? (uint32_t)group * (N * D / HOPPER_UNIT) : 0);
    }
    // split_bytes: of V that belong to one warpgroup.
    __device__ __forceinline__ uint32_t v_units(uint32_t split_bytes) const {
        return origin + offsetof(fa_shared<shape>, v) / HOPPER_UNIT +
               (uint32_t)ring.slot * (shape::value_bytes / HOPPER_UNIT) +
               (shape::is_split ? (uint32_t)group * (split_bytes / HOPPER_UNIT) : 0);
    }
    __device__ __forceinline__ void issue_scores() { fa_issue_scores<D, N>(s, q_units(), k_units()); }
    // Each lane from its own place: in a uniform register it would cost the multiply-add a register more.
    __device__ __forceinline__ void start_step() {
        factor = reinterpret_cast<volatile float *>(shared.score_factor[q.slot])[lane()];
    }
    __device__ __forceinline__ void take_scores() {
        self().scale_log2 = fabsf(factor);
        if (factor < 0.0f)
#pragma unroll
            for (float &score : s) score = -score;
    }
    __device__ __forceinline__ void scores_again() {
        fa_scores_again<D, N>(s, shared_q() + warp * FA_WARP_ROWS * D, k_units() * HOPPER_UNIT, lane());
        take_scores();
    }
    __device__ __forceinline__ float value_factor() const {
        return shared.value_factor[place.slot];
    }
};

// ---- weights in fp16 ----

template <typename shape>
struct fa_stream_half
    : fa_fp8_stream<fa_stream_half<shape>, shape, fa_half_stream<fa_stream_half<shape>, shape, __half>> {
    using base =
        fa_fp8_stream<fa_stream_half<shape>, shape, fa_half_stream<fa_stream_half<shape>, shape, __half>>;
    using base::base, base::group, base::ring, base::shared;

    __device__ __forceinline__ uint32_t v_units() const { return base::v_units(shape::step_keys * 128); }
};

// ---- weights in e4m3 ----

// Scores become exponents; ret_largest: the largest of each row, as integers: right among those above 0.
template <int count>
__device__ __forceinline__ void fa_exponents(float (&s)[count], float scale_log2, const float (&reference)[2],
                                             int (&ret_largest)[2]) {
    ret_largest[0] = ret_largest[1] = 0;
#pragma unroll
    for (int i = 0; i < count; i += 2) {
        const int r = i / 2 % 2;
        s[i] = fmaf(s[i], scale_log2, -reference[r]);
        s[i + 1] = fmaf(s[i + 1], scale_log2, -reference[r]);
        ret_largest[r] = __vimax3_s32(ret_largest[r], __float_as_int(s[i]), __float_as_int(s[i + 1]));
    }
}

// Exponents [first, last) become weights; sum: of this thread's columns, added to.
template <int first, int last, int count>
__device__ __forceinline__ void fa_powers(float (&s)[count], float (&sum)[2]) {
#pragma unroll
    for (int i = first; i < last; ++i) {
        s[i] = fa_exp2(s[i]);
        sum[i / 2 % 2] += s[i];
    }
}

// Register 4 step + 2 half + row of the weights' operand: 32 keys a step.
template <int first, int last, int count>
__device__ __forceinline__ void fa_round_e4m3(const float (&s)[count], uint32_t (&p)[count / 4]) {
#pragma unroll
    for (int i = first / 4; i < last / 4; ++i) {
        const float *c = s + i / 2 * 8 + i % 2 * 2;
        p[i] = mma_pack_quad(c[0], c[1], c[4], c[5]);
    }
}

template <int D, int N>
__device__ __forceinline__ void fa_issue_output_e4m3(float (&o)[D / 2], const uint32_t (&p)[N / 8],
                                                     uint32_t v, bool is_first) {
    hopper_fence();
#pragma unroll
    for (int step = 0; step < N / 32; ++step)
        hopper_weighted(o, p + 4 * step, hopper_operand_bytes<N>(v + step * HOPPER_STEP_K_MAJOR),
                        step > 0 || !is_first, __nv_fp8_e4m3());
    hopper_commit();
}

template <typename shape>
struct fa_stream_e4m3
    : fa_fp8_stream<fa_stream_e4m3<shape>, shape, fa_stream<fa_stream_e4m3<shape>, shape, __half>> {
    using base = fa_fp8_stream<fa_stream_e4m3<shape>, shape, fa_stream<fa_stream_e4m3<shape>, shape, __half>>;
    using base::base, base::block, base::group, base::lane, base::o, base::p, base::ring, base::rows, base::s,
        base::shared, base::warp;
    static constexpr int D = shape::dim, N = shape::step_keys, scores = N / 2;
    float scale_log2;
    bool is_unset; // a row of the warp has no reference yet

    __device__ __forceinline__ void issue_output(int index) {
        fa_issue_output_e4m3<D, N>(o, p, base::v_units(N * D), index % shape::blocks_added == 0);
    }

    // Near the maximum and not above it: the largest of every fourth group of eight scores. A row that sees none of these keys waits.
    __device__ __forceinline__ void find_references(bool is_new) {
        if (is_new) {
            rows.reference[0] = rows.reference[1] = FA_UNSET;
            rows.sum[0] = rows.sum[1] = 0.0f;
            is_unset = true;
        }
        if (!is_unset) return;
        float largest[2];
        fa_largest<4>(s, largest);
#pragma unroll
        for (int r = 0; r < 2; ++r)
            if (rows.reference[r] == FA_UNSET)
                rows.reference[r] = fmaxf(largest[r] * scale_log2 - FA_SHIFT, FA_UNSET);
        is_unset = __any_sync(~0u, fminf(rows.reference[0], rows.reference[1]) == FA_UNSET);
    }

    // References of the rows that have an exponent too large become their maxima. largest: of this thread, as integers.
    __device__ __forceinline__ void raise_references(int (&largest)[2]) {
        float raise[2], lower[2];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            largest[r] = max(largest[r], __shfl_xor_sync(~0u, largest[r], 1));
            largest[r] = max(largest[r], __shfl_xor_sync(~0u, largest[r], 2));
            raise[r] = largest[r] > FA_EXPONENT ? __int_as_float(largest[r]) - FA_SHIFT : 0.0f;
            lower[r] = fa_exp2(-raise[r]);
            rows.reference[r] += raise[r];
            rows.sum[r] *= lower[r];
        }
#pragma unroll
        for (int i = 0; i < scores; ++i) s[i] -= raise[i / 2 % 2];
        if (block.is_first()) return; // o is another tile's
#pragma unroll
        for (int i = 0; i < D / 2; ++i) o[i] *= lower[i / 2 % 2];
        if (has_aside(block.index - 1)) lower_aside(lower);
    }

    template <typename F> __device__ __forceinline__ void weigh(F wait) {
        int largest[2];
        fa_exponents(s, scale_log2, rows.reference, largest);
        if (__builtin_expect(__any_sync(~0u, max(largest[0], largest[1]) > FA_EXPONENT), 0)) {
            wait();
            raise_references(largest);
        }
        fa_powers<0, scores / 2>(s, rows.sum);
        fa_pin(s[scores / 2 - 9]);
        wait();
        fa_round_e4m3<0, scores / 2>(s, p);
        fa_powers<scores / 2, scores>(s, rows.sum);
        fa_round_e4m3<scores / 2, scores>(s, p);
    }

    // ---- what is put aside: in the warp's place in shared memory, four words a time, 32 apart ----

    __device__ __forceinline__ float4 *aside() {
        return reinterpret_cast<float4 *>(shared.o[group][warp]) + lane();
    }
    // Of a tile's first `blocks` blocks.
    __device__ __forceinline__ static bool has_aside(int blocks) {
        return blocks >= shape::blocks_added;
    }

    __device__ __forceinline__ void lower_aside(const float (&lower)[2]) {
        float4 *part = aside();
#pragma unroll 1
        for (int i = 0; i < D / 8; ++i) {
            const float4 c = part[32 * i];
            part[32 * i] = make_float4(c.x * lower[0], c.y * lower[0], c.z * lower[1], c.w * lower[1]);
        }
    }

    // O of the blocks since the last time. What lay there before may still be on its way out.
    __device__ __forceinline__ void put_aside(bool is_first) {
        float4 *part = aside();
        if (is_first) {
            if (lane() == 0) hopper_store_wait_read();
            __syncwarp();
        }
#pragma unroll
        for (int i = 0; i < D / 8; ++i) {
            const float4 before = is_first ? float4{} : part[32 * i];
            part[32 * i] = make_float4(o[4 * i] + before.x, o[4 * i + 1] + before.y, o[4 * i + 2] + before.z,
                                       o[4 * i + 3] + before.w);
        }
    }
    __device__ __forceinline__ void take_back() {
        const float4 *part = aside();
#pragma unroll
        for (int i = 0; i < D / 8; ++i) {
            const float4 c = part[32 * i];
            o[4 * i] += c.x, o[4 * i + 1] += c.y, o[4 * i + 2] += c.z, o[4 * i + 3] += c.w;
        }
        __syncwarp();
    }

    __device__ __forceinline__ void end_block(int index, bool was_last) {
        if (was_last) {
            if (has_aside(index)) take_back();
        } else if ((index + 1) % shape::blocks_added == 0) {
            put_aside(index + 1 == shape::blocks_added);
        }
    }
};

// ---- the device function ----

template <typename shape>
__global__ void __launch_bounds__(shape::threads, shape::blocks_a_multiprocessor)
    fa_kernel(const __grid_constant__ fa_problem problem) {
    using stream_type = std::conditional_t<shape::is_e4m3, fa_stream_e4m3<shape>, fa_stream_half<shape>>;
    constexpr int G = shape::warpgroups;
    extern __shared__ unsigned char raw[];
    fa_shared<shape> &shared = fa_shared_in<fa_shared<shape>>(raw);
    if ((int)threadIdx.x / 128 == G) {
        const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0);
        const bool copies = threadIdx.x % 128 == 0;
        if (copies) {
            for (bool first : {true, false}) // K and V in place; Q and the factors
                fa_set_up<shape>(shared, 1 + FA_PLACERS, 2, first);
            for (int i = 0; i < shape::raw_stages; ++i) {
                hopper_barrier_init(&shared.raw_full[i], 1);
                hopper_barrier_init(&shared.raw_empty[i], FA_PLACERS);
            }
            hopper_barrier_publish();
            fa_raw_copier<shape, fa_shared<shape>>(problem, shared).begin();
        }
        __syncthreads();
        hopper_registers_fewer<shape::copy_registers>();
        if (warp > 0) {
            fa_place_run<shape>(problem, shared, warp - 1);
        } else if (copies) {
            fa_raw_copier<shape, fa_shared<shape>>(problem, shared).run();
        }
    } else {
        __syncthreads();
        hopper_registers_more<shape::registers>();
        stream_type stream(problem, shared);
        stream.run();
    }
}

// ---- the host's part ----

template <typename shape> static constexpr struct fa_form fa_form_with(const fa_clocks &clk) {
    static_assert(FA_SHARED_SLACK + sizeof(fa_shared<shape>) <= 227 * 1024 / shape::blocks_a_multiprocessor,
                  "more shared memory than there is");
    return fa_form_of<shape, fa_shared<shape>>((const void *)fa_kernel<shape>, nullptr, clk);
}

#define FA_FORM(dim, groups, keys, weights, is_split, alone_clk, shared_clk, tile_clk)                       \
    fa_form_with<fa_shape<weights, dim, groups, keys, is_split>>({alone_clk, shared_clk, tile_clk}),
static const struct fa_form fa_forms[] = {FA_SM90_FP8_FORMS(FA_FORM)};

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
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    return fa_hopper_prepare(args,
                             {fa_forms, sizeof fa_forms / sizeof *fa_forms, WARPGROUPS, SPLIT_KEYS == 1}, 0,
                             env, state, message);
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
    fa_params,
    sizeof fa_params / sizeof fa_params[0],
    sizeof(struct assay_param),
    nullptr,
    "fp8 e4m3 by wgmma, TMA, warps with roles; D = 64 and 128, Hopper",
}};

ASSAY_MODULE(fa_kernels)
