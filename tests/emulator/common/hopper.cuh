// SPDX-License-Identifier: Apache-2.0
//
// kernels/common/hopper.cuh for the emulator: the same functions.
#ifndef COMMON_HOPPER_CUH
#define COMMON_HOPPER_CUH

#include "emulator.h"

#include "common/hopper_operand.cuh"

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

// ---- barriers ----

inline void hopper_barrier_init(uint64_t *barrier, int arrivals) {
    emulator::mbarrier_init(barrier, arrivals);
}
inline void hopper_barrier_publish() {}
inline void hopper_barrier_expect(uint64_t *barrier, uint32_t bytes) {
    emulator::mbarrier_arrive(barrier, bytes);
}
inline void hopper_barrier_arrive(uint64_t *barrier) {
    emulator::mbarrier_arrive(barrier, 0);
}
inline void hopper_barrier_arrive_warp(uint64_t *barrier, bool arrives = true) {
    emulator::meet(emulator::MEETING_SYNC, 0, [=](const uint64_t *) {
        if (arrives) emulator::mbarrier_arrive(barrier, 0);
    });
}
inline bool hopper_barrier_test(uint64_t *barrier, uint32_t parity) {
    return emulator::mbarrier_test(barrier, parity);
}
inline void hopper_barrier_wait(uint64_t *barrier, uint32_t parity) {
    emulator::wait_until([=] { return emulator::mbarrier_test(barrier, parity); },
                         "a barrier in shared memory");
}

#define HOPPER_PAIR 256
inline void hopper_pair_wait(int barrier) {
    emulator::barrier_wait(barrier, HOPPER_PAIR);
}
inline void hopper_pair_arrive(int barrier) {
    emulator::barrier_arrive(barrier, HOPPER_PAIR);
}

// ---- clusters ----

inline int hopper_cluster_rank() {
    return emulator::now->of->rank;
}
inline void hopper_cluster_arrive() {
    emulator::cluster_arrive();
}
inline void hopper_cluster_wait() {
    emulator::cluster_wait();
}
inline uint32_t hopper_of_rank(uint32_t shared, int rank) {
    return shared % HOPPER_SHARED_BYTES + (uint32_t)rank * HOPPER_SHARED_BYTES;
}
inline void hopper_send(uint32_t place, uint32_t barrier, int to, int own, const float4 &x) {
    if (to == own) {
        memcpy(emulator::at(place), &x, sizeof x);
        return;
    }
    emulator::later(emulator::WORK_FREE, [=] {
        memcpy(emulator::at(hopper_of_rank(place, to)), &x, sizeof x);
        emulator::mbarrier_complete(reinterpret_cast<uint64_t *>(emulator::at(hopper_of_rank(barrier, to))),
                                    sizeof x);
    });
}

// ---- for one thread ----

inline int hopper_lane() {
    return emulator::now->lane;
}
inline float hopper_reciprocal(float x) {
    return 1.0f / x;
}
inline float hopper_broadcast(float x) {
    return __shfl_sync(~0u, x, 0);
}
inline void hopper_pause() {}
inline void hopper_keep_branch() {}

// ---- tensor copies ----

// Calls each(global, shared) for 16 bytes of a box at a time; global is NULL outside of the tensor.
template <typename F>
void emulator_box(const CUtensorMap &map, uint32_t shared, const hopper_place &place, F each) {
    const uint64_t row_bytes = map.box[0] * map.size_bytes;
    for (uint32_t r = 0; r < map.box[1]; ++r)
        for (uint64_t byte = 0; byte < row_bytes; byte += 16) {
            const uint64_t column = (uint64_t)place.column + byte / map.size_bytes,
                           row = (uint64_t)place.row + r;
            const bool is_inside = column < map.size[0] && row < map.size[1] &&
                                   (uint64_t)place.head < map.size[2] && (uint64_t)place.batch < map.size[3];
            const uint32_t address = shared + r * (uint32_t)row_bytes + (uint32_t)byte;
            char *const global = map.data + column * map.size_bytes + row * map.stride_bytes[0] +
                                 (uint64_t)place.head * map.stride_bytes[1] +
                                 (uint64_t)place.batch * map.stride_bytes[2];
            each(is_inside ? global : nullptr, emulator::at(emulator::swizzled(address, map.swizzle_bytes)));
        }
}

inline void hopper_copy(uint32_t to, const CUtensorMap *map, uint64_t *barrier, const hopper_place &from) {
    if (to % 128) emulator::fail("a box is copied to an address that is no multiple of 128");
    const CUtensorMap of = *map;
    emulator::later(emulator::WORK_FREE, [=] {
        emulator_box(of, to, from, [](const char *global, unsigned char *shared) {
            if (global)
                memcpy(shared, global, 16);
            else
                memset(shared, 0, 16);
        });
        emulator::mbarrier_complete(barrier, (int64_t)(of.box[0] * of.box[1] * of.size_bytes));
    });
}
inline void hopper_prefetch(const CUtensorMap *, const hopper_place &) {}
inline void hopper_store(const CUtensorMap *map, uint32_t from, const hopper_place &to) {
    const CUtensorMap of = *map;
    emulator::later(emulator::WORK_STORE, [=] {
        emulator_box(of, from, to, [](char *global, const unsigned char *shared) {
            if (global) memcpy(global, shared, 16);
        });
    });
}
inline void hopper_store_commit() {
    emulator::work_commit(emulator::WORK_STORE);
}
inline void hopper_store_wait_read() {
    emulator::work_wait(emulator::WORK_STORE, 0);
}
inline void hopper_store_wait() {
    emulator::work_wait(emulator::WORK_STORE, 0);
}
inline void hopper_fence_proxy() {}
inline void hopper_fence_proxy_global() {}
inline void hopper_prefetch_map(const CUtensorMap *) {}
inline void hopper_store_matrices(uint32_t shared, const uint32_t (&m)[4]) {
    emulator::store_matrices(m, shared);
}

// ---- registers ----

template <int count> void hopper_registers_more() {}
template <int count> void hopper_registers_fewer() {}

// ---- products ----

inline void hopper_fence() {}
inline void hopper_commit() {
    emulator::product_commit();
}
template <int pending> void hopper_wait() {
    emulator::product_wait(pending);
}
template <typename T, int count> void hopper_hold(T (&)[count]) {}

template <int count, typename T>
void hopper_scores(float (&c)[count], uint64_t a, uint64_t b, int is_added, T) {
    constexpr emulator::element type = emulator_element(T());
    emulator::product_issue(
        {type, 2 * count, type == emulator::ELEMENT_E4M3 ? 32 : 16, is_added != 0, false, false, a, b}, c,
        nullptr);
}
template <int count, typename T>
void hopper_weighted(float (&c)[count], const uint32_t *a, uint64_t b, int is_added, T) {
    emulator::product_issue({emulator_element(T()), 2 * count, 16, is_added != 0, true, true, 0, b}, c, a);
}

#endif
