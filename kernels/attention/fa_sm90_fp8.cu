// SPDX-License-Identifier: Apache-2.0
//
// Attention forward in fp8 e4m3 on Hopper (sm_90a): wgmma, TMA, warp-specialised producer and consumers,
// persistent thread blocks. D = 64 and 128, O in fp16, any lengths, grouped heads (GQA), both causal
// kinds, log-sum-exp, one scale of Q, K and V for each head.
//
// Algorithm: that of fa_sm90.cu, with Q K^T by fp8 wgmma (m64nNk32). P and V are fp16 in P V: three warps
// of the producer warpgroup widen V, exactly, while the consumers compute (fa_hopper_fp8_producer.cuh).
// So only the inputs are rounded more coarsely than fp16, and only the scores are summed in the 13 bits of
// an fp8 wgmma's accumulator.
// The scales of Q and K are part of the factor of a tile's scores; a factor below 0 changes the sign of
// the scores. The scale of V is applied to O.
// NaN in V under a mask: as in fa_sm90; e4m3 has no infinity.
//
// Tile configurations (query rows x keys of a block; registers of consumer and producer threads; stages
// of K and V; shared memory):
//   D =  64: G = 1   64 x 128   216 + 40   3 x 24 KiB   104 KiB, two thread blocks a multiprocessor
//            split   64 x 128   216 + 40   2 x 24 KiB    92 KiB, two; split KV over 2 to 8 thread blocks
//            G = 2  128 x 128   232 + 40   6 x 24 KiB   200 KiB
//            G = 3  192 x 128   160 + 32   6 x 24 KiB   216 KiB
//            G = 4  256 x 64    112 + 32   6 x 12 KiB   148 KiB
//            resident keys, 64 or 32 rows x 512, two warpgroups that share them   224 + 56   157 KiB (up to
//            512 keys, few tiles, no log-sum-exp: fa_hopper_resident.cuh)
//   D = 128: G = 1   64 x 128   232 + 40   3 x 48 KiB   208 KiB
//            split   64 x 128   232 + 40   2 x 48 KiB   180 KiB
//            G = 2  128 x 128   232 + 40   2 x 48 KiB   192 KiB
//            G = 3  192 x 64    160 + 32   4 x 24 KiB   208 KiB
// Nothing is spilled.
//
// Expected limit: at D = 64 the exponential unit (MUFU): 64 x 128 scores take 512 clocks there, 384 on
// the tensor cores. At D = 128 the tensor cores, 768.
// Tried and lost (figures: docs/kernels.md): P in e4m3, scaled by 2^8, with V transposed for it: the
// accumulators keep 13 bits, so that a V with a mean loses 28 % of it over 16384 keys, and 1.6 % where those
// of 1024 keys are promoted to fp32, at 1.08 to 1.18 times the time of this; factor and sign of the scores
// looked up in every iteration.
#include <assay/kernel.h>
#include <cuda_fp8.h>
#include <stdint.h>
#include <type_traits>

#include "attention/fa_hopper_consumer.cuh"
#include "attention/fa_hopper_fp8_producer.cuh"
#include "attention/fa_hopper_host.cuh"
#include "attention/fa_hopper_resident.cuh"
#include "attention/fa_hopper_softmax.cuh"
#include "attention/fa_sm90_fp8_dispatch.h"
#include "common/hopper.cuh"
#include "common/mma_tile.cuh"
#include "common/mma_widened_e4m3.cuh"

// Written by `assay tune --kernel fa_sm90_fp8 --suite ci --strategy exhaustive --emit`.
#if __has_include("attention/fa_sm90_fp8_table.h")
#include "attention/fa_sm90_fp8_table.h"
#define FA_SM90_FP8_TABLE fa_sm90_fp8_choose
#else
#define FA_SM90_FP8_TABLE nullptr
#endif

template <int D, int G, int N, bool split> struct fa_hopper_traits : fa_hopper_traits_base<D, G, N, split> {
    using base = fa_hopper_traits_base<D, G, N, split>;
    static constexpr bool has_l2_prefetch = false;
    static constexpr int atoms_per_row = 1; // Q, K and V in fp8: at most 128 bytes
    static constexpr int k_bytes = N * D, v_half_bytes = N * D * 2, q_bytes = FA_HOPPER_WARPGROUP_ROWS * D;
    static constexpr int v_fp8_stages = G == 1 || D == 128 ? 2 : 3;
    static constexpr int room =
        225 * 1024 / base::ctas_per_sm - 2 * G * q_bytes - base::epilogue_bytes - v_fp8_stages * k_bytes;
    static constexpr int stages_in_room = room / (k_bytes + v_half_bytes);
    static constexpr int stages = stages_in_room < 6 ? stages_in_room : 6;
};

template <int D, int G, int rows, int N, bool split>
using fa_hopper_traits_for =
    std::conditional_t<FA_HOPPER_IS_RESIDENT(G, rows), fa_hopper_resident_traits<D, 1, rows>,
                       fa_hopper_traits<D, G, N, split>>;

template <typename traits> struct fa_hopper_shared {
    alignas(1024) unsigned char v[traits::stages][traits::v_half_bytes]; // in fp16, for P V
    alignas(1024) unsigned char k[traits::stages][traits::k_bytes];
    alignas(1024) unsigned char v_fp8[traits::v_fp8_stages][traits::k_bytes]; // V as TMA delivers it
    alignas(1024) unsigned char q[2][traits::warpgroups][traits::q_bytes];
    alignas(1024) fa_hopper_epilogue_storage<traits> epilogue;
    uint64_t full[traits::stages], empty[traits::stages];
    uint64_t v_fp8_full[traits::v_fp8_stages], v_fp8_empty[traits::v_fp8_stages],
        q_full[2][traits::warpgroups], q_empty[2];
    int2 tile_coords[FA_HOPPER_TILES_IN_FLIGHT]; // head and batch
    float v_scale[FA_HOPPER_TILES_IN_FLIGHT];
    float score_scale[2]; // of each buffer of Q
};

// ---- Q K^T ----

template <int D, int N>
__device__ __forceinline__ void fa_hopper_issue_qk(float (&s)[N / 2], uint32_t q, uint32_t k,
                                                   int q_group_bytes = 8 * D) {
    warpgroup_arrive();
#pragma unroll
    for (int step = 0; step < D / 32; ++step)
        wgmma_ss(s, wgmma_descriptor_fp8<D>(q + step * DESCRIPTOR_STEP_K_MAJOR, q_group_bytes),
                 wgmma_descriptor_fp8<D>(k + step * DESCRIPTOR_STEP_K_MAJOR), step > 0, __nv_fp8_e4m3());
    warpgroup_commit_batch();
}

// Q K^T of one warp with fp32 accumulation, from the tiles still in shared memory, in the same layout as
// wgmma's.
template <int D, int N>
__device__ __forceinline__ void fa_hopper_recompute_qk(float (&s)[N / 2], uint32_t q, uint32_t k, int lane) {
    using layout = mma_swizzled<D / 16>;
#pragma unroll
    for (int n = 0; n < N / 16; ++n) {
        float c[2][4] = {};
#pragma unroll
        for (int step = 0; step < D / 32; ++step) {
            uint32_t a[4], b[4];
            mma_fragment_a<layout>(a, q, 0, step, lane);
            mma_fragment_b<layout>(b, k, 16 * n, step, lane);
            mma_sync(c[0], a, b[0], b[1], mma_widened_e4m3());
            mma_sync(c[1], a, b[2], b[3], mma_widened_e4m3());
            // Serialises the steps: together they need more registers than there are.
            warpgroup_fence_operand(c[0]);
            warpgroup_fence_operand(c[1]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) s[8 * n + i] = c[i / 4][i % 4];
    }
}

// ---- consumer warpgroup ----

template <typename traits>
struct fa_hopper_kernel_consumer
    : fa_hopper_softmax_consumer<fa_hopper_kernel_consumer<traits>, traits, __half> {
    using base = fa_hopper_softmax_consumer<fa_hopper_kernel_consumer<traits>, traits, __half>;
    using base::base, base::D, base::N, base::lane, base::origin, base::tile_pipe, base::q_pipe,
        base::q_units, base::kv_pipe, base::s, base::scale_log2, base::shared, base::address_of, base::warp;
    static constexpr bool has_coarse_scores = true;

    __device__ __forceinline__ uint32_t k_units() const {
        return origin + offsetof(fa_hopper_shared<traits>, k) / DESCRIPTOR_UNIT +
               (uint32_t)kv_pipe.index * (traits::k_bytes / DESCRIPTOR_UNIT);
    }
    __device__ __forceinline__ uint32_t v_units() const {
        return origin + offsetof(fa_hopper_shared<traits>, v) / DESCRIPTOR_UNIT +
               (uint32_t)kv_pipe.index * (traits::v_half_bytes / DESCRIPTOR_UNIT);
    }
    __device__ __forceinline__ void issue_qk() { fa_hopper_issue_qk<D, N>(s, q_units(), k_units()); }
    __device__ __forceinline__ void recompute_qk() {
        fa_hopper_recompute_qk<D, N>(s, address_of(q_units()) + warp * FA_HOPPER_WARP_ROWS * D,
                                     address_of(k_units()), lane());
    }
    // Only the lane that arrives for the warp on the buffer's barrier reads the value, and broadcasts it;
    // compute-sanitizer's racecheck requires this.
    __device__ __forceinline__ float read(const float &from) const {
        float ret = 0.0f;
        if (lane() == 0) ret = *static_cast<const volatile float *>(&from);
        return broadcast_lane0(ret);
    }
    __device__ __forceinline__ void begin_tile() { scale_log2 = read(shared.score_scale[q_pipe.index]); }
    __device__ __forceinline__ float score_sign() const { return copysignf(1.0f, scale_log2); }
    __device__ __forceinline__ float v_scale() const { return read(shared.v_scale[tile_pipe.index]); }
};

// ---- the device function ----

template <typename traits>
__global__ void __launch_bounds__(traits::threads, traits::ctas_per_sm)
    fa_hopper_kernel(const __grid_constant__ fa_hopper_problem problem) {
    constexpr int G = traits::warpgroups;
    fa_hopper_shared<traits> &shared = fa_hopper_dynamic_shared<fa_hopper_shared<traits>>();
    const bool is_producer = threadIdx.x == 128 * G;
    if (is_producer) {
        // A stage is full with K and the shares of all V conversion warps, Q with its tile and its scales.
        for (bool for_prologue : {true, false})
            fa_hopper_init_barriers<traits>(shared, 1 + FA_HOPPER_V_CONVERT_WARPS, 2, for_prologue);
        for (int i = 0; i < traits::v_fp8_stages; ++i) {
            mbarrier_init(&shared.v_fp8_full[i], 1);
            mbarrier_init(&shared.v_fp8_empty[i], FA_HOPPER_V_CONVERT_WARPS);
        }
        if constexpr (traits::is_split) fa_hopper_init_combine_barrier(problem, shared.epilogue);
        fence_mbarrier_init();
        fa_hopper_fp8_producer<traits, fa_hopper_shared<traits>>(problem, shared).prologue();
    }
    __syncthreads();
    if (traits::is_split) cluster_arrive_relaxed();
    if ((int)threadIdx.x / 128 == G) {
        warpgroup_reg_dealloc<traits::producer_registers>();
        const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0);
        if (warp > 0) {
            fa_hopper_convert_v<traits>(problem, shared, warp - 1);
        } else if (is_producer) {
            fa_hopper_fp8_producer<traits, fa_hopper_shared<traits>>(problem, shared).run();
        }
    } else {
        warpgroup_reg_alloc<traits::registers>();
        fa_hopper_kernel_consumer<traits> consumer(problem, shared);
        consumer.run();
    }
}

// ---- resident keys ----

template <typename traits> struct fa_sm90_fp8_resident_qk {
    static __device__ __forceinline__ void run(float (&s)[traits::keys / 2], uint32_t q, uint32_t k) {
        fa_hopper_issue_qk<traits::dim, traits::keys>(s, q, k, traits::q_group_bytes);
    }
};

template <typename traits>
__global__ void __launch_bounds__(traits::threads, traits::ctas_per_sm)
    fa_sm90_fp8_resident_kernel(const __grid_constant__ fa_hopper_problem problem) {
    using shared_type = fa_hopper_resident_shared<traits>;
    shared_type &shared = fa_hopper_dynamic_shared<shared_type>();
    const fa_hopper_resident_tile<traits> tile(problem);
    const int warpgroup = __shfl_sync(~0u, (int)threadIdx.x / 128, 0);
    const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0);
    fa_hopper_resident_load(problem, shared, tile, warpgroup, warp);
    const fa_hopper_scale_index of_scales(problem, tile.batch, tile.head, tile.head_kv);
    __syncthreads();
    if (warpgroup == traits::parts) {
        warpgroup_reg_dealloc<traits::producer_registers>();
        fa_hopper_resident_convert_v<traits>(shared, warp);
        return;
    }
    warpgroup_reg_alloc<traits::registers>();
    const fa_hopper_scales scales = fa_hopper_load_scales(problem, of_scales);
    fa_hopper_resident_consumer<__half, traits, fa_sm90_fp8_resident_qk<traits>>{
        problem, shared, tile, warpgroup, warp, lane_id(), scales}
        .run();
}

// ---- host ----

template <typename traits> static constexpr struct fa_hopper_instance fa_hopper_instance_with() {
    if constexpr (traits::is_resident)
        return fa_hopper_instance_of<traits, fa_hopper_resident_shared<traits>>(
            (const void *)fa_sm90_fp8_resident_kernel<traits>, nullptr);
    else
        return fa_hopper_instance_of<traits, fa_hopper_shared<traits>>((const void *)fa_hopper_kernel<traits>,
                                                                       nullptr);
}

static const struct fa_hopper_instance fa_sm90_fp8_instances[] = {
    FA_SM90_FP8_TILE_CONFIGS(FA_HOPPER_INSTANCE)};
static const struct fa_hopper_tile_config fa_sm90_fp8_tile_configs[] = {
    FA_SM90_FP8_TILE_CONFIGS(FA_HOPPER_TILE_CONFIG)};

static int fa_sm90_fp8_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.q.dtype != ASSAY_FP8_E4M3 || args.k.dtype != args.q.dtype || args.v.dtype != args.q.dtype ||
        args.o.dtype != ASSAY_FP16)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "only fp8 e4m3, the same for Q, K and V, with O in fp16");
    return fa_hopper_supports(args, message);
}

static int fa_sm90_fp8_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                               size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const struct fa_hopper_instance_set set = {fa_sm90_fp8_instances,
                                               fa_sm90_fp8_tile_configs,
                                               sizeof fa_sm90_fp8_instances / sizeof *fa_sm90_fp8_instances,
                                               0,
                                               FA_SM90_FP8_TABLE,
                                               !assay_tensor_find(&problem->tensors, ASSAY_LSE),
                                               nullptr};
    return fa_hopper_prepare(args, set, env, state, message);
}

// In the order of struct assay_kernel: C++17 has no designated initialisers.
static const struct assay_kernel fa_sm90_fp8_kernels[] = {{
    sizeof(struct assay_kernel),                                        // struct_size
    ASSAY_ABI_VERSION,                                                  // abi_version
    "fa_sm90_fp8",                                                      // name
    "attention",                                                        // op
    "cuda",                                                             // backend
    fa_sm90_fp8_supports,                                               // supports
    fa_hopper_launch,                                                   // launch
    fa_sm90_fp8_prepare,                                                // prepare
    fa_hopper_release,                                                  // release
    fa_hopper_params,                                                   // params
    sizeof fa_hopper_params / sizeof fa_hopper_params[0],               // param_count
    sizeof(struct assay_param),                                         // param_bytes
    nullptr,                                                            // check_config
    "fp8 e4m3 by wgmma, TMA, warp-specialised; D = 64 and 128, Hopper", // summary
}};

ASSAY_MODULE(fa_sm90_fp8_kernels)
