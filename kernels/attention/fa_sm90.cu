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
//            split  64 x 128   216 + 40   2 x 32 KiB   100 KiB, two; G = 1, and 2 to 8 thread blocks share a tile (fa_hopper_split.cuh)
//            G = 2  128 x 128   232 + 40   5 x 32 KiB   208 KiB
//            G = 3  192 x 128   160 + 32   4 x 32 KiB   200 KiB
//            G = 4  256 x 64    112 + 32   6 x 16 KiB   192 KiB
//   D = 128: G = 1   64 x 128   232 + 40   2 x 64 KiB   176 KiB
//            split  64 x 128   232 + 40   2 x 64 KiB   196 KiB
//            G = 2  128 x 128   232 + 40   2 x 64 KiB   224 KiB
//            G = 3  192 x 64    160 + 32   2 x 32 KiB   208 KiB
// A problem gets the form whose waves of tiles take the least time by the clocks of fa_sm90_dispatch.h.
//
// Expected limit: at D = 64 a score takes as long on the tensor cores (256 FLOP at 4096 a clock) as in the exponential unit (16 a
// clock), and about as long in the register files that serve both: 1024 clocks for 256 x 64 scores. Measured: 1480. At D = 128 the
// tensor cores alone: 2048 for 128 x 128; measured: 2520.
// Tried and lost (docs/kernels.md has the figures): exponentials by a polynomial (+ 9 % time at 2 of 8), Q K^T a block ahead with two
// sets of scores (two warpgroups: 2200 clocks a step where three need 2700 for half as many rows more), row sums by mma.sync (+ 18 %),
// one warpgroup's exponentials at a time (+ 8 %), keys of 64 rows split among warpgroups (0 to + 3 % where tiles are few), steps within a
// tile as a second copy of the code (+ 1 %), the first Q and K by ordinary copies (+ 5 to + 11 % where problems are short), O and sums of
// a tile under the next Q K^T (0 to + 2 %), additions kept from between the exponentials (+ 2 to + 5 %), launches that begin early
// (programmatic dependent launch: assay refuses to time launches that are not ordered).
#include "attention/fa_hopper_copy.cuh"
#include "attention/fa_hopper_half.cuh"
#include "attention/fa_hopper_host.cuh"
#include "attention/fa_hopper_tiles.cuh"
#include "attention/fa_sm90_dispatch.h"
#include "common/hopper.cuh"

#include <assay/kernel.h>
#include <stdint.h>

template <int D, int G, int N, bool split> struct fa_shape : fa_shape_base<D, G, N, split> {
    using base = fa_shape_base<D, G, N, split>;
    static constexpr int columns = D / HOPPER_COLUMN, block_bytes = N * D * 2, q_bytes = FA_ROWS * D * 2;
    static constexpr int room =
        226 * 1024 / base::blocks_a_multiprocessor - 2 * G * q_bytes - base::leaving_bytes;
    static constexpr int stages = room / (2 * block_bytes) < 6 ? room / (2 * block_bytes) : 6;
    static constexpr bool has_early_keys = D == 128 && G == 2;
};

template <typename shape> struct fa_shared {
    alignas(1024) unsigned char ring[shape::stages][2][shape::block_bytes]; // FA_STAGE_V, FA_STAGE_K
    alignas(1024) unsigned char q[2][shape::warpgroups][shape::q_bytes];
    alignas(1024) fa_leaving<shape> out;
    uint64_t full[shape::stages], empty[shape::stages], q_full[2][shape::warpgroups], q_empty[2];
    int2 place[FA_PLACES]; // head and batch of a tile
    float scale_log2[32];  // for each lane
};

// ---- a warpgroup that computes ----

template <typename T, typename shape> struct fa_stream_of : fa_half_stream<fa_stream_of<T, shape>, shape, T> {
    using base = fa_half_stream<fa_stream_of<T, shape>, shape, T>;
    using base::D, base::N, base::lane, base::origin, base::q_units, base::ring, base::s, base::scale_log2,
        base::address, base::warp;

    __device__ __forceinline__ fa_stream_of(const fa_problem &of, fa_shared<shape> &in) : base(of, in) {
        scale_log2 = *(volatile float *)&in.scale_log2[threadIdx.x % 32];
    }

    __device__ __forceinline__ uint32_t keys_units(int which) const {
        const int block = ring.slot * 2 + which;
        return origin + offsetof(fa_shared<shape>, ring) / HOPPER_UNIT +
               (uint32_t)block * (shape::block_bytes / HOPPER_UNIT);
    }
    __device__ __forceinline__ uint32_t v_units() const { return keys_units(FA_STAGE_V); }
    __device__ __forceinline__ void issue_scores() {
        fa_issue_scores<T, D, N>(s, q_units(), keys_units(FA_STAGE_K), shape::column_bytes);
    }
    __device__ __forceinline__ void scores_again() {
        fa_scores_again<T, D, N>(s, address(q_units()) + warp * FA_WARP_ROWS * 128,
                                 address(keys_units(FA_STAGE_K)), shape::column_bytes, lane());
    }
    static constexpr bool is_coarse = false;
    __device__ __forceinline__ void start_tile() {}
    __device__ __forceinline__ static float sign() { return 1.0f; } // fa_hopper_supports
    __device__ __forceinline__ static float value_factor() { return 1.0f; }
};

template <typename T, typename shape>
__global__ void __launch_bounds__(shape::threads, shape::blocks_a_multiprocessor)
    fa_kernel(const __grid_constant__ fa_problem problem) {
    constexpr int G = shape::warpgroups;
    fa_shared<shape> &shared = fa_dynamic_shared<fa_shared<shape>>();
    const bool copies = threadIdx.x == 128 * G;
    if (copies) {
        hopper_prefetch_map(&problem.k);
        hopper_prefetch_map(&problem.q);
        fa_set_up<shape>(shared, 1, 1, true);
        hopper_barrier_publish();
        fa_copier<shape, fa_shared<shape>>(problem, shared).begin();
        fa_set_up<shape>(shared, 1, 1, false);
        if constexpr (shape::is_split) fa_split_set_up(problem, shared.out);
        hopper_barrier_publish();
    }
    if (threadIdx.x < 32) shared.scale_log2[threadIdx.x] = problem.scale_log2;
    __syncthreads();
    if (shape::is_split) hopper_cluster_arrive();
    if ((int)threadIdx.x / 128 == G) {
        hopper_registers_fewer<shape::copy_registers>();
        if (copies) fa_copier<shape, fa_shared<shape>>(problem, shared).run();
    } else {
        hopper_registers_more<shape::registers>();
        fa_stream_of<T, shape> stream(problem, shared);
        stream.run();
    }
}

// ---- the host's part ----

template <typename shape> static constexpr struct fa_form fa_form_with() {
    return fa_form_of<shape, fa_shared<shape>>((const void *)fa_kernel<__half, shape>,
                                               (const void *)fa_kernel<__nv_bfloat16, shape>);
}

static const struct fa_form fa_forms[] = {FA_SM90_FORMS(FA_FORM)};
static const struct fa_form_clk fa_forms_clk[] = {FA_SM90_FORMS(FA_FORM_CLK)};

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
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const struct fa_forms forms = {fa_forms, fa_forms_clk, sizeof fa_forms / sizeof *fa_forms,
                                   args.q.dtype == ASSAY_BF16, nullptr};
    return fa_hopper_prepare(args, forms, env, state, message);
}

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
