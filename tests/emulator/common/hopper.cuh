// SPDX-License-Identifier: Apache-2.0
//
// The functions of kernels/common/hopper.cuh for the emulator.
#ifndef COMMON_HOPPER_CUH
#define COMMON_HOPPER_CUH

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#include "common/hopper_descriptor.cuh"
#include "emulator.h"

// ---- mbarriers and named barriers ----

inline void mbarrier_init(uint64_t *barrier, int arrivals) {
    emulator::mbarrier_init(barrier, arrivals);
}
inline void fence_mbarrier_init() {}
inline void mbarrier_arrive_expect_tx(uint64_t *barrier, uint32_t bytes) {
    emulator::mbarrier_arrive(barrier, bytes);
}
inline void mbarrier_arrive(uint64_t *barrier) {
    emulator::mbarrier_arrive(barrier, 0);
}
inline void mbarrier_arrive_warp(uint64_t *barrier, bool arrives = true) {
    emulator::meet(emulator::MEETING_SYNC, 0, [=](const uint64_t *) {
        if (arrives) emulator::mbarrier_arrive(barrier, 0);
    });
}
inline bool mbarrier_test_wait(uint64_t *barrier, uint32_t parity) {
    return emulator::mbarrier_test(barrier, parity);
}
inline void mbarrier_wait(uint64_t *barrier, uint32_t parity) {
    emulator::mbarrier_wait(barrier, parity);
}

#define NAMED_BARRIER_THREADS 256
inline void named_barrier_sync(int barrier) {
    emulator::barrier_wait(barrier, NAMED_BARRIER_THREADS);
}
inline void named_barrier_arrive(int barrier) {
    emulator::barrier_arrive(barrier, NAMED_BARRIER_THREADS);
}

// ---- clusters, distributed shared memory ----

inline int cluster_ctarank() {
    return emulator::now->of->rank;
}
inline void cluster_arrive_relaxed() {
    emulator::cluster_arrive();
}
inline void cluster_wait() {
    emulator::cluster_wait();
}
inline uint32_t mapa(uint32_t shared, int rank) {
    return shared % CTA_SHARED_WINDOW_BYTES + (uint32_t)rank * CTA_SHARED_WINDOW_BYTES;
}
inline void st_async(uint32_t at, uint32_t barrier, int to, int own, const float4 &x) {
    if (to == own) {
        memcpy(emulator::at(at), &x, sizeof x);
        return;
    }
    emulator::now_or_later(emulator::WORK_FREE, [=] {
        memcpy(emulator::at(mapa(at, to)), &x, sizeof x);
        emulator::mbarrier_complete(reinterpret_cast<uint64_t *>(emulator::at(mapa(barrier, to))), sizeof x);
    });
}

// ---- one thread, one warp ----

inline int lane_id() {
    return emulator::now->lane;
}
inline float log2_approx(float x) {
    return log2f(x);
}
inline float rcp_approx(float x) {
    return 1.0f / x;
}
inline float broadcast_lane0(float x) {
    return __shfl_sync(~0u, x, 0);
}
inline float ld_global_nc_or(const float *from, int64_t index, float otherwise) {
    return from ? from[index] : otherwise;
}
template <typename T> void keep_in_register(T &) {}
inline void nanosleep_0() {}
inline void keep_branch() {}

// ---- TMA ----

// Calls each(global, shared) for every 16 bytes of a box; global is NULL outside of the tensor.
template <typename F>
void emulator_box(const CUtensorMap &map, uint32_t shared, const tma_coords &coords, F each) {
    const uint64_t row_bytes = map.box[0] * map.size_bytes;
    for (uint32_t r = 0; r < map.box[1]; ++r)
        for (uint64_t byte = 0; byte < row_bytes; byte += 16) {
            const uint64_t column = (uint64_t)coords.dim + byte / map.size_bytes,
                           row = (uint64_t)coords.row + r;
            const bool is_inside = column < map.size[0] && row < map.size[1] &&
                                   (uint64_t)coords.head < map.size[2] &&
                                   (uint64_t)coords.batch < map.size[3];
            const uint32_t address = shared + r * (uint32_t)row_bytes + (uint32_t)byte;
            char *const global = map.data + column * map.size_bytes + row * map.stride_bytes[0] +
                                 (uint64_t)coords.head * map.stride_bytes[1] +
                                 (uint64_t)coords.batch * map.stride_bytes[2];
            each(is_inside ? global : nullptr, emulator::at(emulator::swizzled(address, map.swizzle_bytes)));
        }
}

inline void tma_load(uint32_t to, const CUtensorMap *map, uint64_t *barrier, const tma_coords &from) {
    if (to % 128) emulator::fail("a box is copied to an address that is no multiple of 128");
    const CUtensorMap of = *map;
    emulator::now_or_later(emulator::WORK_FREE, [=] {
        emulator_box(of, to, from, [](const char *global, unsigned char *shared) {
            if (global)
                memcpy(shared, global, 16);
            else
                memset(shared, 0, 16);
        });
        emulator::mbarrier_complete(barrier, (int64_t)(of.box[0] * of.box[1] * of.size_bytes));
    });
}
inline void tma_prefetch_l2(const CUtensorMap *, const tma_coords &) {}
inline void tma_store(const CUtensorMap *map, uint32_t from, const tma_coords &to) {
    const CUtensorMap of = *map;
    emulator::now_or_later(emulator::WORK_STORE, [=] {
        emulator_box(of, from, to, [](char *global, const unsigned char *shared) {
            if (global) memcpy(global, shared, 16);
        });
    });
}
inline void tma_store_commit_group() {
    emulator::work_commit(emulator::WORK_STORE);
}
inline void tma_store_wait_group_read() {
    emulator::work_wait(emulator::WORK_STORE, 0);
}
inline void tma_store_wait_group() {
    emulator::work_wait(emulator::WORK_STORE, 0);
}
inline void fence_proxy_async_shared() {}
inline void fence_proxy_async_global() {}
inline void prefetch_tensormap(const CUtensorMap *) {}
inline void stmatrix_x4(uint32_t shared, const uint32_t (&m)[4]) {
    emulator::store_matrices(m, shared);
}

// ---- registers (setmaxnreg) ----

template <int count> void warpgroup_reg_alloc() {}
template <int count> void warpgroup_reg_dealloc() {}

// ---- wgmma ----

inline void warpgroup_arrive() {}
inline void warpgroup_commit_batch() {
    emulator::product_commit();
}
template <int pending> void warpgroup_wait() {
    emulator::product_wait(pending);
}
template <typename T, int count> void warpgroup_fence_operand(T (&)[count]) {}

template <int count, typename T> void wgmma_ss(float (&c)[count], uint64_t a, uint64_t b, int is_added, T) {
    constexpr emulator::element type = emulator_element(T());
    emulator::product_issue(
        {type, 2 * count, type == emulator::ELEMENT_E4M3 ? 32 : 16, is_added != 0, false, false, a, b}, c,
        nullptr);
}
template <int count, typename T>
void wgmma_rs(float (&c)[count], const uint32_t *a, uint64_t b, int is_added, T) {
    emulator::product_issue({emulator_element(T()), 2 * count, 16, is_added != 0, true, true, 0, b}, c, a);
}

#endif
