// SPDX-License-Identifier: Apache-2.0
//
// Attention forward on Hopper (sm_90a): wgmma, TMA, warp-specialised producer and consumers, persistent
// thread blocks. fp16 and bf16, D = 64 and 128, any lengths, grouped heads (GQA), both causal kinds,
// log-sum-exp.
//
// Algorithm: a producer thread loads Q, K and V by TMA (fa_hopper_producer.cuh); G consumer warpgroups
// own 64 query rows each (fa_hopper_consumer.cuh). An iteration issues P V of one key block together with
// Q K^T of the next one and computes the softmax of those scores under P V; the pipeline runs on across
// the end of a tile. P stays in registers. Softmax uses a shift from the first key block of the walk,
// which seldom moves, in place of a running maximum (fa_hopper_softmax.cuh). O is stored through shared
// memory by TMA. NaN and infinity in V under a mask: fa_hopper_nan_fixup.cuh.
//
// Tile configurations (query rows x keys of a block; registers of consumer and producer threads; stages
// of K and V; shared memory), chosen by fa_sm90_table.h where a tuning recorded one and the problem was
// measured, else by the clocks of fa_sm90_dispatch.h:
//   D =  64: G = 1   64 x 128   216 + 40   2 x 32 KiB    88 KiB, two thread blocks a multiprocessor
//            split   64 x 128   216 + 40   2 x 32 KiB   100 KiB, two; split KV over 2 to 8 thread blocks
//            G = 2  128 x 128   232 + 40   5 x 32 KiB   208 KiB
//            G = 3  192 x 128   160 + 32   4 x 32 KiB   200 KiB
//            G = 4  256 x 64    112 + 32   6 x 16 KiB   192 KiB
//            resident keys, 64 or 32 rows x 512, two warpgroups that share them: 158 KiB (up to 512 keys, few
//            tiles: fa_hopper_resident.cuh)
//   D = 128: G = 1   64 x 128   232 + 40   2 x 64 KiB   176 KiB
//            split   64 x 128   232 + 40   2 x 64 KiB   196 KiB
//            G = 2  128 x 128   232 + 40   2 x 64 KiB   224 KiB
//            G = 3  192 x 64    160 + 32   2 x 32 KiB   208 KiB
//
// Expected limit: at D = 64 a score takes as long on the tensor cores (256 FLOP at 4096 a clock) as in
// the exponential unit (MUFU, 16 a clock), and about as long in the register files that serve both: 1024
// clocks for 256 x 64 scores. Measured: 1480. At D = 128 the tensor cores alone: 2048 for 128 x 128;
// measured: 2520.
// Tried and lost (figures: docs/kernels.md): exponentials by a polynomial (+ 9 % time at 2 of 8); Q K^T
// one block ahead with two sets of scores (two warpgroups: 2200 clocks an iteration, where three need 2700
// for 1.5 times the rows); row sums by mma.sync (+ 18 %); one warpgroup's exponentials at a time (+ 8 %);
// the keys of one 64-row tile split among the warpgroups of this pipeline (0 to + 3 % with few tiles);
// unmasked iterations as a second copy of the code (+ 1 %); the first Q and K by cp.async (+ 5 to + 11 % on
// short problems);
// epilogue and row sums of a tile under the next Q K^T (0 to + 2 %); row-sum additions kept apart from the
// exponentials (+ 2 to + 5 %); products of keys that a warpgroup does not see left out (+ 1 to + 2 %);
// programmatic dependent launch (assay refuses to time launches that are not ordered).
#include <assay/kernel.h>
#include <stdint.h>
#include <type_traits>

#include "attention/fa_hopper_host.cuh"
#include "attention/fa_hopper_producer.cuh"
#include "attention/fa_hopper_resident.cuh"
#include "attention/fa_hopper_softmax.cuh"
#include "attention/fa_hopper_tile_scheduler.cuh"
#include "attention/fa_sm90_dispatch.h"
#include "common/hopper.cuh"

// Written by `assay tune --kernel fa_sm90 --suite ci --strategy exhaustive --emit`.
#if __has_include("attention/fa_sm90_table.h")
#include "attention/fa_sm90_table.h"
#define FA_SM90_TABLE fa_sm90_choose
#else
#define FA_SM90_TABLE nullptr
#endif

template <int D, int G, int N, bool split> struct fa_hopper_traits : fa_hopper_traits_base<D, G, N, split> {
    using base = fa_hopper_traits_base<D, G, N, split>;
    static constexpr int atoms_per_row = D / SWIZZLE_ATOM_ELEMENTS;
    static constexpr int block_bytes = N * D * 2, q_bytes = FA_HOPPER_WARPGROUP_ROWS * D * 2;
    static constexpr int room = 226 * 1024 / base::ctas_per_sm - 2 * G * q_bytes - base::epilogue_bytes;
    static constexpr int stages = room / (2 * block_bytes) < 6 ? room / (2 * block_bytes) : 6;
    static constexpr bool has_l2_prefetch = D == 128 && G == 2;
};

template <int D, int G, int rows, int N, bool split>
using fa_hopper_traits_for =
    std::conditional_t<FA_HOPPER_IS_RESIDENT(G, rows), fa_hopper_resident_traits<D, 2, rows>,
                       fa_hopper_traits<D, G, N, split>>;

template <typename traits> struct fa_hopper_shared {
    // kv[stage][FA_HOPPER_STAGE_V or FA_HOPPER_STAGE_K]
    alignas(1024) unsigned char kv[traits::stages][2][traits::block_bytes];
    alignas(1024) unsigned char q[2][traits::warpgroups][traits::q_bytes];
    alignas(1024) fa_hopper_epilogue_storage<traits> epilogue;
    uint64_t full[traits::stages], empty[traits::stages], q_full[2][traits::warpgroups], q_empty[2];
    int2 tile_coords[FA_HOPPER_TILES_IN_FLIGHT]; // head and batch
    float scale_log2[32];                        // one for each lane: keeps it out of a uniform register
};

// ---- consumer warpgroup ----

template <typename T, typename traits>
struct fa_hopper_kernel_consumer
    : fa_hopper_softmax_consumer<fa_hopper_kernel_consumer<T, traits>, traits, T> {
    using base = fa_hopper_softmax_consumer<fa_hopper_kernel_consumer<T, traits>, traits, T>;
    using base::D, base::N, base::lane, base::origin, base::q_units, base::kv_pipe, base::s, base::scale_log2,
        base::address_of, base::warp;

    __device__ __forceinline__ fa_hopper_kernel_consumer(const fa_hopper_problem &of,
                                                         fa_hopper_shared<traits> &in)
        : base(of, in) {
        scale_log2 = *(volatile float *)&in.scale_log2[threadIdx.x % 32];
    }

    __device__ __forceinline__ uint32_t kv_units(int which) const {
        const int block = kv_pipe.index * 2 + which;
        return origin + offsetof(fa_hopper_shared<traits>, kv) / DESCRIPTOR_UNIT +
               (uint32_t)block * (traits::block_bytes / DESCRIPTOR_UNIT);
    }
    __device__ __forceinline__ uint32_t v_units() const { return kv_units(FA_HOPPER_STAGE_V); }
    __device__ __forceinline__ void issue_qk() {
        fa_hopper_issue_qk<T, D, N>(s, q_units(), kv_units(FA_HOPPER_STAGE_K), traits::atom_column_bytes);
    }
    __device__ __forceinline__ void recompute_qk() {
        fa_hopper_recompute_qk<T, D, N>(s, address_of(q_units()) + warp * FA_HOPPER_WARP_ROWS * 128,
                                        address_of(kv_units(FA_HOPPER_STAGE_K)), traits::atom_column_bytes,
                                        lane());
    }
    static constexpr bool has_coarse_scores = false;
    __device__ __forceinline__ void begin_tile() {}
    __device__ __forceinline__ static float score_sign() { return 1.0f; } // fa_hopper_supports refuses others
    __device__ __forceinline__ static float v_scale() { return 1.0f; }
};

template <typename T, typename traits>
__global__ void __launch_bounds__(traits::threads, traits::ctas_per_sm)
    fa_hopper_kernel(const __grid_constant__ fa_hopper_problem problem) {
    constexpr int G = traits::warpgroups;
    fa_hopper_shared<traits> &shared = fa_hopper_dynamic_shared<fa_hopper_shared<traits>>();
    const bool is_producer = threadIdx.x == 128 * G;
    if (is_producer) {
        prefetch_tensormap(&problem.k);
        prefetch_tensormap(&problem.q);
        fa_hopper_init_barriers<traits>(shared, 1, 1, true);
        fence_mbarrier_init();
        fa_hopper_producer<traits, fa_hopper_shared<traits>>(problem, shared).prologue();
        fa_hopper_init_barriers<traits>(shared, 1, 1, false);
        if constexpr (traits::is_split) fa_hopper_init_combine_barrier(problem, shared.epilogue);
        fence_mbarrier_init();
    }
    if (threadIdx.x < 32) shared.scale_log2[threadIdx.x] = problem.scale_log2;
    __syncthreads();
    if (traits::is_split) cluster_arrive_relaxed();
    if ((int)threadIdx.x / 128 == G) {
        warpgroup_reg_dealloc<traits::producer_registers>();
        if (is_producer) fa_hopper_producer<traits, fa_hopper_shared<traits>>(problem, shared).run();
    } else {
        warpgroup_reg_alloc<traits::registers>();
        fa_hopper_kernel_consumer<T, traits> consumer(problem, shared);
        consumer.run();
    }
}

// ---- resident keys ----

template <typename T, typename traits> struct fa_sm90_resident_qk {
    static __device__ __forceinline__ void run(float (&s)[traits::keys / 2], uint32_t q, uint32_t k) {
        fa_hopper_issue_qk<T, traits::dim, traits::keys>(s, q, k, traits::atom_column_bytes,
                                                         traits::q_group_bytes);
    }
};

template <typename T, typename traits>
__global__ void __launch_bounds__(traits::threads, traits::ctas_per_sm)
    fa_sm90_resident_kernel(const __grid_constant__ fa_hopper_problem problem) {
    using shared_type = fa_hopper_resident_shared<traits>;
    shared_type &shared = fa_hopper_dynamic_shared<shared_type>();
    const fa_hopper_resident_tile<traits> tile(problem);
    const int warpgroup = __shfl_sync(~0u, (int)threadIdx.x / 128, 0);
    const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0);
    fa_hopper_resident_load(problem, shared, tile, warpgroup, warp);
    __syncthreads();
    fa_hopper_resident_consumer<T, traits, fa_sm90_resident_qk<T, traits>>{
        problem, shared, tile, warpgroup, warp, lane_id(), {1.0f, 1.0f, 1.0f}}
        .run();
}

// ---- host ----

template <typename traits> static constexpr struct fa_hopper_instance fa_hopper_instance_with() {
    if constexpr (traits::is_resident)
        return fa_hopper_instance_of<traits, fa_hopper_resident_shared<traits>>(
            (const void *)fa_sm90_resident_kernel<__half, traits>,
            (const void *)fa_sm90_resident_kernel<__nv_bfloat16, traits>);
    else
        return fa_hopper_instance_of<traits, fa_hopper_shared<traits>>(
            (const void *)fa_hopper_kernel<__half, traits>,
            (const void *)fa_hopper_kernel<__nv_bfloat16, traits>);
}

static const struct fa_hopper_instance fa_sm90_instances[] = {FA_SM90_TILE_CONFIGS(FA_HOPPER_INSTANCE)};
static const struct fa_hopper_tile_config fa_sm90_tile_configs[] = {
    FA_SM90_TILE_CONFIGS(FA_HOPPER_TILE_CONFIG)};

static int fa_sm90_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const bool is_half = args.q.dtype == ASSAY_FP16 || args.q.dtype == ASSAY_BF16;
    if (!is_half || args.k.dtype != args.q.dtype || args.v.dtype != args.q.dtype ||
        args.o.dtype != args.q.dtype)
        return assay_say(message, ASSAY_UNSUPPORTED, "only fp16 and bf16, the same for Q, K, V and O");
    return fa_hopper_supports(args, message);
}

static int fa_sm90_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                           size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const struct fa_hopper_instance_set set = {fa_sm90_instances,
                                               fa_sm90_tile_configs,
                                               sizeof fa_sm90_instances / sizeof *fa_sm90_instances,
                                               args.q.dtype == ASSAY_BF16,
                                               FA_SM90_TABLE,
                                               true,
                                               nullptr};
    return fa_hopper_prepare(args, set, env, state, message);
}

// In the order of struct assay_kernel: C++17 has no designated initialisers.
static const struct assay_kernel fa_sm90_kernels[] = {{
    sizeof(struct assay_kernel),                                        // struct_size
    ASSAY_ABI_VERSION,                                                  // abi_version
    "fa_sm90",                                                          // name
    "attention",                                                        // op
    "cuda",                                                             // backend
    fa_sm90_supports,                                                   // supports
    fa_hopper_launch,                                                   // launch
    fa_sm90_prepare,                                                    // prepare
    fa_hopper_release,                                                  // release
    fa_hopper_params,                                                   // params
    sizeof fa_hopper_params / sizeof fa_hopper_params[0],               // param_count
    sizeof(struct assay_param),                                         // param_bytes
    nullptr,                                                            // check_config
    "wgmma, TMA, warp-specialised; fp16, bf16, D = 64 and 128, Hopper", // summary
}};

ASSAY_MODULE(fa_sm90_kernels)
