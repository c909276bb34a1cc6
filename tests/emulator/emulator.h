// SPDX-License-Identifier: Apache-2.0
//
// Emulation of GPU threads on the processor: every CUDA thread of a cluster is a fiber of one host thread.
// When a thread waits (for a barrier, a shuffle, a copy) another one runs, in an order that differs from
// launch to launch. Asynchronous work (copies, wgmma, stores) completes as early as allowed, as late as
// allowed, or in between, which also differs from launch to launch: reading too early, or overwriting data
// still needed, gives different bits in different launches. README.md lists what is not modelled.
#ifndef EMULATOR_H
#define EMULATOR_H

#include <functional>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <type_traits>

#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)

#define __align__(n) alignas(n)

struct int2 {
    int x, y;
};
struct float2 {
    float x, y;
};
struct uint2 {
    unsigned x, y;
};
struct float4 {
    float x, y, z, w;
};
struct uint4 {
    unsigned x, y, z, w;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned of_x = 1, unsigned of_y = 1, unsigned of_z = 1) : x(of_x), y(of_y), z(of_z) {}
};

namespace emulator {

enum { WARP = 32, SHARED_BYTES = 256 * 1024, RANK_BYTES = 1 << 24, NAMED_BARRIERS = 16 };

// Operations that all lanes of a warp must reach together.
enum meeting { MEETING_SYNC, MEETING_SHUFFLE, MEETING_VOTE, MEETING_PRODUCT, MEETING_MATRIX };

// Asynchronous work. WORK_STORE and WORK_COPY are committed in groups, which the thread waits for.
enum work_kind { WORK_FREE, WORK_STORE, WORK_COPY, WORK_COUNT };

struct block;
struct warp;

struct thread {
    dim3 index;
    block *of;
    warp *in;
    int lane;
    uint32_t products, product_groups; // issued; committed
    uint32_t groups[16];               // products issued when group i (modulo) was committed
    uint32_t work_groups[WORK_COUNT];  // committed
};

struct block {
    dim3 index;
    int rank; // in its cluster
    int thread_count;
    unsigned char *shared;
};

extern thread *now;

// Ends the launch with this sentence: the kernel did what the hardware does not allow.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Waits for all lanes of the warp; true for the last one, which calls meet_end().
bool meet_last(meeting what, uint64_t brought, const uint64_t **ret_all);
void meet_end();

// Waits for all lanes of the warp; the last one to arrive calls `then`. Returns the values that the lanes
// brought.
template <typename F> const uint64_t *meet(meeting what, uint64_t brought, F then) {
    const uint64_t *all;
    if (meet_last(what, brought, &all)) {
        then(all);
        meet_end();
    }
    return all;
}
inline const uint64_t *meet(meeting what, uint64_t brought) {
    return meet(what, brought, [](const uint64_t *) {});
}

// A named barrier of the block (0 is __syncthreads).
void barrier_arrive(int number, int threads);
void barrier_wait(int number, int threads);
bool barrier_any(bool predicate); // __syncthreads_or

// Runs `work` now or some time later; work of a group, at the latest when work_wait leaves fewer groups
// pending.
bool is_done_now();
void later(work_kind kind, std::function<void()> work);
template <typename F> void now_or_later(work_kind kind, const F &work) {
    if (is_done_now())
        work();
    else
        later(kind, work);
}
void work_commit(work_kind kind);
void work_wait(work_kind kind, uint32_t pending);

void cluster_arrive();
void cluster_wait();

// Shared memory by 32-bit address: each rank of the cluster has a window of RANK_BYTES.
unsigned char *at(uint32_t address, uint32_t bytes = 1); // so many bytes are there
uint32_t swizzled(uint32_t address, uint32_t row_bytes); // the swizzle of rows of 64 or 128 bytes
uint32_t address_of(const void *place);
unsigned char *dynamic_shared(uint32_t alignment);

// ---- mbarriers, 8 bytes of shared memory ----

void mbarrier_init(uint64_t *barrier, int arrivals);
void mbarrier_arrive(uint64_t *barrier, int64_t expected_bytes);
void mbarrier_complete(uint64_t *barrier, int64_t bytes);
bool mbarrier_test(const uint64_t *barrier, uint32_t parity);
void mbarrier_wait(const uint64_t *barrier, uint32_t parity);

// ---- wgmma ----

enum element { ELEMENT_FP16, ELEMENT_BF16, ELEMENT_E4M3 };

// c (16 rows of a warp x columns) = a b, accumulated if is_added. Lane l holds in c[4 i + e] row l / 4 + 8 (e
// / 2), column 8 i + 2 (l % 4) + e % 2. Operands in shared memory are given as wgmma's descriptors.
struct product {
    element type;
    int columns, depth;
    bool is_added;
    bool has_fragments;  // a is in registers
    bool is_depth_major; // rows of b lie along the columns of c
    uint64_t a, b;
};

// The lanes' registers are read and written when the product completes: at the latest when they wait for its
// group.
void product_issue(const product &of, float *c, const uint32_t *fragments);
void product_commit();
void product_wait(uint32_t pending_groups);

// One warp's mma.sync m16n8k16 (16 bits) or m16n8k32 (e4m3): c += a b.
void multiply(element type, float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1);

// ---- 8x8 matrices of 16 bits ----

void load_matrices(uint32_t (&ret)[4], uint32_t address, bool is_transposed);
void store_matrices(const uint32_t (&from)[4], uint32_t address);

// ---- launching ----

struct configuration {
    dim3 grid;
    unsigned threads, cluster; // cluster: blocks of one along x, at least 1
    size_t shared_bytes;
};
// NULL, or why the launch failed. call: runs one thread.
const char *launch(const configuration &of, const std::function<void()> &call);

template <typename T> uint64_t bits_of(T value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable<T>::value, "a register or two");
    uint64_t ret = 0;
    memcpy(&ret, &value, sizeof value);
    return ret;
}
template <typename T> T value_of(uint64_t bits) {
    T ret;
    memcpy(&ret, &bits, sizeof ret);
    return ret;
}

} // namespace emulator

// ---- built-ins of CUDA C++ ----

extern dim3 threadIdx, blockIdx, gridDim; // of the running thread

inline float2 make_float2(float x, float y) {
    return {x, y};
}
inline int2 make_int2(int x, int y) {
    return {x, y};
}
inline int min(int a, int b) {
    return a < b ? a : b;
}
inline int max(int a, int b) {
    return a > b ? a : b;
}
inline uint32_t __byte_perm(uint32_t low, uint32_t high, uint32_t selector) {
    const uint64_t bytes = (uint64_t)high << 32 | low;
    uint32_t ret = 0;
    for (int i = 0; i < 4; ++i) ret |= (uint32_t)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return ret;
}
inline uint32_t __float_as_uint(float x) {
    return emulator::value_of<uint32_t>(emulator::bits_of(x));
}
inline float __uint_as_float(uint32_t x) {
    return emulator::value_of<float>(x);
}
inline float __logf(float x) {
    return logf(x);
}
template <typename T> T __ldg(const T *from) {
    return *from;
}

inline size_t __cvta_generic_to_shared(const void *place) {
    return emulator::address_of(place);
}

inline void __syncwarp(unsigned = ~0u) {
    emulator::meet(emulator::MEETING_SYNC, 0);
}
inline void __syncthreads() {
    emulator::barrier_wait(0, emulator::now->of->thread_count);
}
inline int __syncthreads_or(int predicate) {
    return emulator::barrier_any(predicate != 0);
}
template <typename T> T __shfl_sync(unsigned, T value, int source, int width = emulator::WARP) {
    const int of = emulator::now->lane / width * width + source % width;
    return emulator::value_of<T>(emulator::meet(emulator::MEETING_SHUFFLE, emulator::bits_of(value))[of]);
}
template <typename T> T __shfl_xor_sync(unsigned lanes, T value, int mask) {
    return __shfl_sync(lanes, value, emulator::now->lane ^ mask);
}
inline int __any_sync(unsigned, int predicate) {
    const uint64_t *brought = emulator::meet(emulator::MEETING_VOTE, predicate != 0);
    int ret = 0;
    for (int i = 0; i < emulator::WARP; ++i) ret |= (int)brought[i];
    return ret;
}

#endif
