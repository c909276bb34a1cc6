// SPDX-License-Identifier: Apache-2.0
//
// Attention forward in fp8 e4m3 on Hopper (sm_90a), D = 64 and 128, O in fp16: warpgroup products (wgmma), tensor copies (TMA),
// warps with roles. Any lengths, grouped heads, both causal kinds, log-sum-exp, scales a head.
//
// Algorithm: that of fa_sm90.cu, with Q K^T by wgmma on the bytes as they are (m64nNk32). Weights and V are fp16 in the second
// product: three warps of the copying warpgroup widen V, exactly, while it waits for its turn (fa_hopper_values.cuh). So nothing is
// rounded coarser than fp16 but the inputs, and no sum is kept in the 13 bits of an fp8 sum except a score's.
// The scales of Q and K are the factor of a tile's scores, that of V is O's. A factor below 0 changes the sign of the scores.
// NaN in V under a mask: as in fa_sm90. e4m3 has no infinity.
//
// Forms (rows x keys of a step, registers of computing and copying threads, stages of K and V, shared memory):
//   D =  64: G = 1   64 x 128   216 + 40   3 x 24 KiB   104 KiB, two blocks a multiprocessor
//            split  64 x 128   216 + 40   2 x 24 KiB    92 KiB, two; G = 1, and 2 to 8 thread blocks share a tile
//            G = 2  128 x 128   232 + 40   6 x 24 KiB   200 KiB
//            G = 3  192 x 128   160 + 32   6 x 24 KiB   216 KiB
//            G = 4  256 x 64    112 + 32   6 x 12 KiB   148 KiB
//   D = 128: G = 1   64 x 128   232 + 40   3 x 48 KiB   208 KiB
//            split  64 x 128   232 + 40   2 x 48 KiB   180 KiB
//            G = 2  128 x 128   232 + 40   2 x 48 KiB   192 KiB
//            G = 3  192 x 64    160 + 32   4 x 24 KiB   208 KiB
// Nothing is spilled.
//
// Expected limit: at D = 64 the exponential unit: 64 x 128 scores take 512 clocks there, 384 on the tensor cores. At D = 128 the
// tensor cores, 768.
// Tried and lost (docs/kernels.md has the figures): P in e4m3, scaled by 2^8, with V transposed for it and sums of a few blocks put
// aside in fp32 (1.0 to 1.65 times the time, the maximum has to be exact, and P is rounded to 4 bits; without the sums put aside
// as fast as this); factor and sign of the scores looked at in every step.
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

template <int D, int G, int N, bool split> struct fa_shape : fa_shape_base<D, G, N, split> {
    using base = fa_shape_base<D, G, N, split>;
    static constexpr bool has_early_keys = false;
    static constexpr int columns = 1; // of Q, K, V as they arrive
    static constexpr int key_bytes = N * D, value_bytes = N * D * 2, q_bytes = FA_ROWS * D;
    static constexpr int raw_stages = G == 1 || D == 128 ? 2 : 3;
    static constexpr int room = 225 * 1024 / base::blocks_a_multiprocessor - 2 * G * q_bytes -
                                base::leaving_bytes - raw_stages * key_bytes;
    static constexpr int stages_in_room = room / (key_bytes + value_bytes);
    static constexpr int stages = stages_in_room < 6 ? stages_in_room : 6;
};

template <typename shape> struct fa_shared {
    alignas(1024) unsigned char v[shape::stages][shape::value_bytes]; // as the products take it
    alignas(1024) unsigned char k[shape::stages][shape::key_bytes];
    alignas(1024) unsigned char raw[shape::raw_stages][shape::key_bytes]; // V as it arrives
    alignas(1024) unsigned char q[2][shape::warpgroups][shape::q_bytes];
    alignas(1024) fa_leaving<shape> out;
    uint64_t full[shape::stages], empty[shape::stages];
    uint64_t raw_full[shape::raw_stages], raw_empty[shape::raw_stages], q_full[2][shape::warpgroups],
        q_empty[2];
    int2 place[FA_PLACES];         // head and batch of a tile
    float value_factor[FA_PLACES]; // beside the place
    float score_factor[2];         // beside Q
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

// ---- a warpgroup that computes ----

template <typename shape> struct fa_stream_of : fa_half_stream<fa_stream_of<shape>, shape, __half> {
    using base = fa_half_stream<fa_stream_of<shape>, shape, __half>;
    using base::base, base::D, base::N, base::lane, base::origin, base::place, base::q, base::q_units,
        base::ring, base::s, base::scale_log2, base::shared, base::address, base::warp;
    static constexpr bool is_coarse = true;

    __device__ __forceinline__ uint32_t k_units() const {
        return origin + offsetof(fa_shared<shape>, k) / HOPPER_UNIT +
               (uint32_t)ring.slot * (shape::key_bytes / HOPPER_UNIT);
    }
    __device__ __forceinline__ uint32_t v_units() const {
        return origin + offsetof(fa_shared<shape>, v) / HOPPER_UNIT +
               (uint32_t)ring.slot * (shape::value_bytes / HOPPER_UNIT);
    }
    __device__ __forceinline__ void issue_scores() { fa_issue_scores<D, N>(s, q_units(), k_units()); }
    __device__ __forceinline__ void scores_again() {
        fa_scores_again<D, N>(s, address(q_units()) + warp * FA_WARP_ROWS * D, address(k_units()), lane());
    }
    // By the lane that will say that the warp has read it.
    __device__ __forceinline__ float read(const float &from) const {
        float ret = 0.0f;
        if (lane() == 0) ret = *static_cast<const volatile float *>(&from);
        return hopper_broadcast(ret);
    }
    __device__ __forceinline__ void start_tile() { scale_log2 = read(shared.score_factor[q.slot]); }
    __device__ __forceinline__ float sign() const { return copysignf(1.0f, scale_log2); }
    __device__ __forceinline__ float value_factor() const { return read(shared.value_factor[place.slot]); }
};

// ---- the device function ----

template <typename shape>
__global__ void __launch_bounds__(shape::threads, shape::blocks_a_multiprocessor)
    fa_kernel(const __grid_constant__ fa_problem problem) {
    constexpr int G = shape::warpgroups;
    fa_shared<shape> &shared = fa_dynamic_shared<fa_shared<shape>>();
    const bool copies = threadIdx.x == 128 * G;
    if (copies) {
        for (bool first : {true, false}) // K and V in place; Q and the factors
            fa_set_up<shape>(shared, 1 + FA_PLACERS, 2, first);
        for (int i = 0; i < shape::raw_stages; ++i) {
            hopper_barrier_init(&shared.raw_full[i], 1);
            hopper_barrier_init(&shared.raw_empty[i], FA_PLACERS);
        }
        if constexpr (shape::is_split) fa_split_set_up(problem, shared.out);
        hopper_barrier_publish();
        fa_raw_copier<shape, fa_shared<shape>>(problem, shared).begin();
    }
    __syncthreads();
    if (shape::is_split) hopper_cluster_arrive();
    if ((int)threadIdx.x / 128 == G) {
        hopper_registers_fewer<shape::copy_registers>();
        const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0);
        if (warp > 0) {
            fa_place_run<shape>(problem, shared, warp - 1);
        } else if (copies) {
            fa_raw_copier<shape, fa_shared<shape>>(problem, shared).run();
        }
    } else {
        hopper_registers_more<shape::registers>();
        fa_stream_of<shape> stream(problem, shared);
        stream.run();
    }
}

// ---- the host's part ----

template <typename shape> static constexpr struct fa_form fa_form_with() {
    return fa_form_of<shape, fa_shared<shape>>((const void *)fa_kernel<shape>, nullptr);
}

static const struct fa_form fa_forms[] = {FA_SM90_FP8_FORMS(FA_FORM)};
static const struct fa_form_clk fa_forms_clk[] = {FA_SM90_FP8_FORMS(FA_FORM_CLK)};

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
    const struct fa_forms forms = {fa_forms, fa_forms_clk, sizeof fa_forms / sizeof *fa_forms, 0, nullptr};
    return fa_hopper_prepare(args, forms, env, state, message);
}

static const struct assay_kernel fa_kernels[] = {{
    sizeof(struct assay_kernel),
    ASSAY_ABI_VERSION,
    "fa_sm90_fp8",
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
