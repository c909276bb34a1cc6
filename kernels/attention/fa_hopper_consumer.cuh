// SPDX-License-Identifier: Apache-2.0
//
// Consumer warpgroup of the Hopper attention kernels: main loop over the key blocks of tile after tile,
// pipeline waits and releases, epilogue.
//
// An iteration issues Q K^T (wgmma) of the next key block, then P V of the current one, and computes the
// softmax of the next block's scores while P V runs. It does not stop at a tile's end, where the next
// tile's first Q K^T runs with the last P V. Warpgroups take turns issuing wgmmas, so that one computes
// its softmax under the other's products.
//
// The arithmetic is the derived class's (CRTP, derived):
//   issue_qk()          starts Q K^T of the current block into s
//   issue_pv(index)     starts P V of block `index` of a tile's walk, accumulated into o unless index is 0
//   begin_tile()        called before the first scores of a tile are used
//   score_sign()        sign of the factor of the scores: 1 or -1
//   begin_shift()       sets the rows' softmax shift from a tile's first scores, masked
//   softmax(wait)       turns scores into P (in p); P V of the block before may run until it calls wait()
//   v_scale()           factor of O
// traits: dim, warpgroups, rows, keys, stages, q_bytes, epilogue_atom_bytes. shared: q, epilogue,
// tile_coords, mbarriers. O: the type of O.
#ifndef ATTENTION_FA_HOPPER_CONSUMER_CUH
#define ATTENTION_FA_HOPPER_CONSUMER_CUH

#include <stddef.h>
#include <stdint.h>

#include "attention/fa_hopper_combine.cuh"
#include "attention/fa_hopper_fragments.cuh"
#include "attention/fa_hopper_nan_fixup.cuh"
#include "attention/fa_hopper_tile_scheduler.cuh"
#include "common/hopper.cuh"

template <typename traits> struct fa_hopper_shared; // defined by each kernel

template <typename derived, typename traits, typename O> struct fa_hopper_consumer {
    static constexpr int D = traits::dim, G = traits::warpgroups, N = traits::keys;
    static constexpr int score_count = N / 2; // of a thread, in two rows
    const fa_hopper_problem &problem;
    fa_hopper_shared<traits> &shared;
    fa_hopper_kv_block<traits> block;                 // the block whose scores are in s
    fa_hopper_pipeline_state<traits::stages> kv_pipe; // the stage that holds its K
    fa_hopper_pipeline_state<2> q_pipe;
    fa_hopper_pipeline_state<FA_HOPPER_TILES_IN_FLIGHT> tile_pipe;
    float s[score_count], o[D / 2]; // accumulators of Q K^T and P V
    uint32_t p[N / 4];              // P in 16 bits: the A operand of P V
    fa_hopper_row_stats rows;
    uint32_t origin;     // start of shared memory in descriptor units
    int warpgroup, warp; // warp-uniform: a shuffle tells the compiler
    int unmasked_left;   // iterations left in this tile that need no mask
    fa_hopper_pipeline_state<traits::stages> next_stage;
    bool has_nonfinite = false;

    __device__ __forceinline__ fa_hopper_consumer(const fa_hopper_problem &of, fa_hopper_shared<traits> &in)
        : problem(of), shared(in), block(of), origin(descriptor_units(&in)),
          warpgroup(__shfl_sync(~0u, (int)threadIdx.x / 128, 0)),
          warp(__shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0)) {}

    __device__ __forceinline__ derived &self() { return static_cast<derived &>(*this); }

    // Read again by every call, so that no register holds it in between.
    __device__ __forceinline__ int lane() const { return lane_id(); }
    __device__ __forceinline__ int warp_first_row() const {
        return warpgroup * FA_HOPPER_WARPGROUP_ROWS + warp * FA_HOPPER_WARP_ROWS;
    }

    // Warpgroups issue their wgmmas round-robin: one computes its softmax under another's products.
    __device__ __forceinline__ void scheduler_barrier_sync() {
        if (G > 1) named_barrier_sync(1 + warpgroup);
    }
    __device__ __forceinline__ void scheduler_barrier_arrive() {
        if (G > 1) named_barrier_arrive(1 + (warpgroup + 1 == G ? 0 : warpgroup + 1));
    }

    // Addresses of operands in descriptor units, here and in the derived class: one multiply and one add an
    // iteration.
    __device__ __forceinline__ uint32_t q_units() const {
        const int buffer = q_pipe.index * G + warpgroup;
        return origin + offsetof(fa_hopper_shared<traits>, q) / DESCRIPTOR_UNIT +
               (uint32_t)buffer * (traits::q_bytes / DESCRIPTOR_UNIT);
    }
    __device__ __forceinline__ uint32_t address_of(uint32_t units) const {
        return smem_address(&shared) + (units - origin) * DESCRIPTOR_UNIT;
    }

    // Masks the block's scores for the warp's rows, if any of these rows does not see all of its keys.
    __device__ __forceinline__ void mask() {
        const int first = block.first_key(), warp_row = block.first_row + warp_first_row();
        if (fa_hopper_visible_keys(problem, warp_row) >= first + N) return;
        const int of_lane = lane(), row = warp_row + of_lane / 4;
        const int visible[2] = {fa_hopper_visible_keys(problem, row),
                                fa_hopper_visible_keys(problem, row + 8)};
        fa_hopper_mask(s, visible, first + of_lane % 4 * 2, -INFINITY * self().score_sign());
    }
    __device__ __forceinline__ bool is_fully_masked() const {
        const int last_row = block.first_row + warp_first_row() + FA_HOPPER_WARP_ROWS - 1;
        return fa_hopper_visible_keys(problem, last_row) <= block.first_key();
    }

    // Releases the current stage (this block's K and the V before it) and, after a tile's last block, the
    // tile's Q.
    __device__ __forceinline__ void release_stages() {
        mbarrier_arrive_warp(&shared.empty[kv_pipe.index]);
        mbarrier_arrive_warp(&shared.q_empty[q_pipe.index], block.is_last());
    }

    // After a tile's last block: the factors that normalise the rows of O; writes the log-sum-exp.
    __device__ __forceinline__ void finalize_rows(float (&ret_inverse)[2], int first_row, int head) {
        const int of_lane = lane();
        const float sum[2] = {fa_hopper_quad_sum(rows.sum[0]), fa_hopper_quad_sum(rows.sum[1])};
        fa_hopper_finalize_rows(problem, rows.shift, sum, self().v_scale(),
                                {head, first_row + warp_first_row() + of_lane / 4, of_lane % 4 == 0},
                                ret_inverse);
    }

    // Epilogue of a tile: O, normalised, from registers through swizzled shared memory to global memory by
    // TMA stores.
    __device__ __forceinline__ void epilogue(const float (&inverse)[2], int first_row) {
        const int of_lane = lane();
        // Under a mask, NaN or infinity may come from a V that the row does not see: fa_hopper_nan_fixup.cuh.
        if (fa_hopper_is_causal(problem)) has_nonfinite |= fa_hopper_has_nonfinite(o);
        if (of_lane == 0) tma_store_wait_group_read();
        __syncwarp();
        const uint32_t staging = smem_address(shared.epilogue.o[warpgroup][warp]);
        const uint32_t at = staging + (uint32_t)(of_lane % 16) * 128;
#pragma unroll
        for (int i = 0; i < D / 8; i += 2) {
            uint32_t matrices[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float *c = o + 4 * i + 2 * e;
                matrices[e] = mma_pack(c[0] * inverse[e % 2], c[1] * inverse[e % 2], O());
            }
            const uint32_t swizzled = ((i % 8 + of_lane / 16) ^ (of_lane % 8)) * 16;
            stmatrix_x4(at + i / 8 * traits::epilogue_atom_bytes + swizzled, matrices);
        }
        fence_proxy_async_shared();
        __syncwarp();
        if (of_lane == 0) {
            const int2 to = shared.tile_coords[tile_pipe.index];
#pragma unroll
            for (int c = 0; c < D / SWIZZLE_ATOM_ELEMENTS; ++c)
                tma_store(&problem.o, staging + c * traits::epilogue_atom_bytes,
                          {c * SWIZZLE_ATOM_ELEMENTS, first_row + warp_first_row(), to.x, to.y});
            tma_store_commit_group();
        }
        tile_pipe.advance();
    }

    // Before the softmax: begins a tile at its first block, applies the mask, sets the shift. False if the
    // mask hides the whole block from this warp, so that P = 0.
    __device__ __forceinline__ bool prepare_scores() {
        const bool is_first = block.is_first();
        if (is_first) self().begin_tile();
        if (block.is_masked()) {
            if (!is_first && is_fully_masked()) return false;
            mask();
        }
        if (is_first) self().begin_shift();
        return true;
    }

    // Softmax of the block's scores into P; then releases its stage and waits for the next one.
    template <typename F> __device__ __forceinline__ void softmax_block(bool is_unmasked, F wait) {
        next_stage = kv_pipe;
        next_stage.advance();
        if (is_unmasked || prepare_scores()) {
            self().softmax(wait);
        } else {
            wait();
#pragma unroll
            for (uint32_t &pair : p) pair = 0;
        }
        const bool is_full = mbarrier_test_wait(&shared.full[next_stage.index], next_stage.phase);
        release_stages();
        if (!is_full) mbarrier_wait(&shared.full[next_stage.index], next_stage.phase);
    }

    // One iteration: P V of the current block with Q K^T of the next one, whose softmax runs under P V. False
    // after the last. Most iterations are unmasked (inside a tile, next block seen by all rows): one branch
    // skips all decisions there.
    __device__ __forceinline__ bool step() {
        const bool is_unmasked = unmasked_left > 0;
        const int first_row = block.first_row, index = block.index;
        const auto wait = [&] {
            warpgroup_wait<0>();
            warpgroup_fence_operand(o);
            warpgroup_fence_operand(p);
        };
        kv_pipe = next_stage;
        if (!is_unmasked) {
            keep_branch(); // one branch for all unmasked iterations
            if (block.is_last() && block.tile.has_next(problem)) {
                q_pipe.advance();
                mbarrier_wait(&shared.q_full[q_pipe.index][warpgroup], q_pipe.phase);
            }
        }
        scheduler_barrier_sync();
        // The last iteration issues one dummy Q K^T on whatever the stage holds (result unused), so that
        // every iteration has the same wgmma sequence for the compiler.
        self().issue_qk();
        self().issue_pv(index);
        scheduler_barrier_arrive();
        float inverse[2];
        if (is_unmasked) {
            --unmasked_left;
            ++block.index;
        } else {
            if (!traits::is_split && block.is_last())
                finalize_rows(inverse, first_row, block.tile.head(problem));
            block.next(problem);
            unmasked_left = block.unmasked_ahead();
        }
        warpgroup_wait<1>();
        warpgroup_fence_operand(s);
        if (!block.is_done()) softmax_block(is_unmasked, wait);
        warpgroup_wait<0>();
        warpgroup_fence_operand(o);
        if constexpr (!traits::is_split)
            if (block.is_first() || block.is_done()) epilogue(inverse, first_row);
        return !block.is_done();
    }

    __device__ __forceinline__ void mainloop() {
        mbarrier_wait(&shared.full[0], 0);
        mbarrier_wait(&shared.q_full[0][warpgroup], 0);
        if (warpgroup == G - 1) scheduler_barrier_arrive();
        self().issue_qk();
        warpgroup_wait<0>();
        warpgroup_fence_operand(s);
        softmax_block(false, [] {});
        unmasked_left = block.unmasked_ahead();
        while (step())
            ;
    }

    // Split KV: this thread block's part of the tile's keys, then the combine over the cluster.
    __device__ __forceinline__ void run_split() {
        const fa_hopper_split_tile tile(problem, block.tile, block.first_row);
        float v_scale;
        if (block.is_empty()) {
            const int kv_head = fa_hopper_kv_head(problem, tile.head.head);
            v_scale = fa_hopper_load_scales(
                          problem, fa_hopper_scale_index(problem, tile.head.batch, tile.head.head, kv_head))
                          .v;
            rows.shift[0] = rows.shift[1] = -INFINITY;
            rows.sum[0] = rows.sum[1] = 0.0f;
#pragma unroll
            for (float &x : o) x = 0.0f;
        } else {
            mainloop();
            v_scale = self().v_scale();
        }
        cluster_wait(); // all thread blocks have initialised their barriers
        fa_hopper_combine<O, traits>(problem, shared.epilogue, tile).run(o, rows, v_scale);
    }

    __device__ __forceinline__ void run() {
        if constexpr (traits::is_split) {
            run_split();
            return;
        }
        mainloop();
        if (__any_sync(~0u, has_nonfinite)) {
            if (lane() == 0) tma_store_wait_group();
            __syncwarp();
            fence_proxy_async_global();
            fa_hopper_fixup_tiles<D, traits::rows>(problem, warp_first_row(), lane());
        } else if (lane() == 0) {
            tma_store_wait_group_read(); // shared memory must outlive the stores' reads
        }
    }
};

#endif
