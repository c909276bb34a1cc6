// SPDX-License-Identifier: Apache-2.0
//
// Our own device kernels, in one PTX file: memory, comparison, clocks and caches here, an operator's
// kernels in a file of its own. Each kernel assay_<name> has a struct dev_<name> as its parameter. Every
// grid and block size works unless device_kernel_args.h says otherwise; indices are 64 bits wide;
// addresses need no alignment beyond that of the elements that a kernel reads. Sums are over integers, or
// in an order that depends on the launch only.
#include "device/device_kernel_core.h"
#include "device/device_kernel_entry.cuh"

// Those of all operators (operator_device_kernels.cuh, made by CMake), of declared ones, or, for a process
// that only launches, none.
#ifdef DEVICE_KERNELS_OF_OPERATORS
#include DEVICE_KERNELS_OF_OPERATORS
#endif

extern "C" __device__ unsigned int assay_device_kernels_version = DEV_VERSION;

static __device__ __forceinline__ void atomic_min(uint64_t *to, uint64_t value) {
    atomicMin(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(value));
}

static __device__ __forceinline__ void atomic_add(uint64_t *to, uint64_t value) {
    atomicAdd(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(value));
}

// Bytes of a range: `head` up to the first multiple of 16 of the address, then `body` pieces of 16, then the
// rest.
struct pieces {
    uint64_t head, body, tail_first;
};

static __device__ __forceinline__ struct pieces pieces_of(const void *data, uint64_t bytes) {
    struct pieces pieces;
    const uint64_t misaligned = reinterpret_cast<uintptr_t>(data) % 16;
    pieces.head = misaligned ? 16 - misaligned : 0;
    if (pieces.head > bytes) pieces.head = bytes;
    pieces.body = (bytes - pieces.head) / 16;
    pieces.tail_first = pieces.head + pieces.body * 16;
    return pieces;
}

// ---- memory ----

ENTRY(pattern) {
    const uint64_t first = thread_first(), step = thread_count();
    const struct pieces pieces = pieces_of(args.data, args.bytes);
    uint8_t *data = static_cast<uint8_t *>(args.data);
    const uint64_t word = dev_pattern_word(args.pattern, pieces.head);
    ulonglong2 *body = reinterpret_cast<ulonglong2 *>(data + pieces.head);
    for (uint64_t i = first; i < pieces.body; i += step) body[i] = make_ulonglong2(word, word);
    for (uint64_t i = first; i < pieces.head; i += step) data[i] = dev_pattern_byte(args.pattern, i);
    for (uint64_t i = pieces.tail_first + first; i < args.bytes; i += step)
        data[i] = dev_pattern_byte(args.pattern, i);
}

ENTRY(hash) {
    __shared__ uint64_t block_sums[2];
    const uint64_t words = args.bytes / 8, rest = args.bytes % 8;
    const uint8_t *data = static_cast<const uint8_t *>(args.data);
    const bool is_aligned = reinterpret_cast<uintptr_t>(data) % 8 == 0;
    uint64_t sums[2] = {0, 0};
    if (threadIdx.x == 0) block_sums[0] = block_sums[1] = 0;
    __syncthreads();
    for (uint64_t i = thread_first(); i < words; i += thread_count())
        dev_hash_add(
            i, is_aligned ? reinterpret_cast<const uint64_t *>(data)[i] : dev_gather(data + i * 8, 8), sums);
    if (thread_first() == 0) {
        if (rest) dev_hash_add(words, dev_gather(data + words * 8, rest), sums);
        dev_hash_add_length(args.bytes, sums);
    }
    atomic_add(&block_sums[0], sums[0]);
    atomic_add(&block_sums[1], sums[1]);
    __syncthreads();
    if (threadIdx.x < 2) atomic_add(&args.sums[threadIdx.x], block_sums[threadIdx.x]);
}

static __device__ __forceinline__ bool is_same(uint4 a, uint4 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

ENTRY(find_difference) {
    const uint64_t first = thread_first(), step = thread_count();
    const uint8_t *a = static_cast<const uint8_t *>(args.a), *b = static_cast<const uint8_t *>(args.b);
    struct pieces pieces = pieces_of(a, args.bytes);
    if ((reinterpret_cast<uintptr_t>(a) ^ reinterpret_cast<uintptr_t>(b)) % 16 != 0) { // byte by byte
        pieces.head = pieces.body = 0;
        pieces.tail_first = 0;
    }
    uint64_t found = DEV_NONE;
    for (uint64_t i = first; i < pieces.head; i += step)
        if (a[i] != b[i]) dev_note_first(&found, i);
    for (uint64_t i = first; i < pieces.body; i += step) {
        const uint64_t at = pieces.head + i * 16;
        if (is_same(*reinterpret_cast<const uint4 *>(a + at), *reinterpret_cast<const uint4 *>(b + at)))
            continue;
        for (uint64_t j = at; j < at + 16; ++j)
            if (a[j] != b[j]) dev_note_first(&found, j);
    }
    for (uint64_t i = pieces.tail_first + first; i < args.bytes; i += step)
        if (a[i] != b[i]) dev_note_first(&found, i);
    if (found != DEV_NONE) atomic_min(args.first, found);
}

// One region by one block.
static __device__ uint64_t find_unlike(const uint8_t *data, uint64_t bytes, uint8_t byte) {
    const struct pieces pieces = pieces_of(data, bytes);
    const uint32_t word = byte * 0x01010101u;
    const uint4 expected = make_uint4(word, word, word, word);
    uint64_t found = DEV_NONE;
    for (uint64_t i = threadIdx.x; i < pieces.head; i += blockDim.x)
        if (data[i] != byte) dev_note_first(&found, i);
    for (uint64_t i = threadIdx.x; i < pieces.body; i += blockDim.x) {
        const uint64_t at = pieces.head + i * 16;
        if (is_same(*reinterpret_cast<const uint4 *>(data + at), expected)) continue;
        for (uint64_t j = at; j < at + 16; ++j)
            if (data[j] != byte) dev_note_first(&found, j);
    }
    for (uint64_t i = pieces.tail_first + threadIdx.x; i < bytes; i += blockDim.x)
        if (data[i] != byte) dev_note_first(&found, i);
    return found;
}

ENTRY(find_unlike) {
    for (uint64_t r = blockIdx.x; r < args.region_count; r += gridDim.x) {
        const struct dev_region region = args.regions[r];
        const uint64_t found = find_unlike(static_cast<const uint8_t *>(region.data), region.bytes,
                                           static_cast<uint8_t>(args.byte));
        if (found != DEV_NONE) atomic_min(&args.first[r], found);
    }
}

ENTRY(poke) {
    for (uint64_t i = thread_first(); i < args.place_count; i += thread_count())
        dev_scatter(args.places[i].data, args.places[i].value, args.places[i].bytes);
}

ENTRY(peek) {
    for (uint64_t i = thread_first(); i < args.place_count; i += thread_count())
        args.values[i] = dev_gather(args.places[i].data, args.places[i].bytes);
}

// ---- comparison ----

// Thread t compares every blockDim-th element of the block's chunk; then a tree over threads, always the
// same.
ENTRY(compare) {
    __shared__ struct dev_compare_part parts[DEV_COMPARE_THREADS_MAX];
    const uint32_t thread = threadIdx.x;
    const uint32_t threads = blockDim.x < DEV_COMPARE_THREADS_MAX ? blockDim.x : DEV_COMPARE_THREADS_MAX;
    const uint64_t begin = blockIdx.x * args.chunk;
    const uint64_t end = args.count < begin + args.chunk ? args.count : begin + args.chunk;
    if (thread < threads) {
        struct dev_compare_part part;
        dev_compare_start(&part);
        for (uint64_t i = begin + thread; i < end; i += threads) dev_compare_add(&args, i, &part);
        parts[thread] = part;
    }
    __syncthreads();
    for (uint32_t count = threads; count > 1;) {
        const uint32_t half = (count + 1) / 2;
        if (thread < count / 2) dev_compare_merge(&parts[thread], &parts[thread + half]);
        __syncthreads();
        count = half;
    }
    if (thread == 0) args.parts[blockIdx.x] = parts[0];
}

// ---- clocks ----

static __device__ __forceinline__ uint64_t read_ns() {
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

static __device__ __forceinline__ uint64_t read_cycles() {
    uint64_t cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

// The nanosecond timer moves in steps (32 ns to 1 us, by GPU): both clocks are read just after a step, so
// that the time between two stamps is not off by a step. Gives up after TICK_CYCLES_MAX cycles in case the
// timer stands still.
#define TICK_CYCLES_MAX 20000

static __device__ struct dev_stamp_value stamp_at_tick() {
    struct dev_stamp_value stamp;
    const uint64_t before_ns = read_ns(), before_cycles = read_cycles();
    do {
        stamp.ns = read_ns();
        stamp.cycles = read_cycles();
    } while (stamp.ns == before_ns && stamp.cycles - before_cycles < TICK_CYCLES_MAX);
    asm volatile("mov.u32 %0, %%smid;" : "=r"(stamp.sm));
    stamp.reserved = 0;
    return stamp;
}

static __device__ void spin(const struct dev_spin &args) {
    const struct dev_stamp_value begin = stamp_at_tick();
    while (read_ns() - begin.ns < args.duration_ns) {
    }
    if (blockIdx.x != 0) return;
    args.stamps[0] = begin;
    args.stamps[1] = stamp_at_tick();
}

ENTRY(spin) {
    if (threadIdx.x == 0) spin(args);
    __syncthreads(); // all threads keep their places until then, and draw no power
}

ENTRY(stamp) {
    if (threadIdx.x == 0) args.stamps[blockIdx.x] = stamp_at_tick();
}

// ---- caches ----

ENTRY(flush) {
    const uint64_t first = thread_first(), step = thread_count();
    const struct pieces pieces = pieces_of(args.data, args.bytes);
    uint8_t *data = static_cast<uint8_t *>(args.data);
    uint4 *body = reinterpret_cast<uint4 *>(data + pieces.head);
    for (uint64_t i = first; i < pieces.body; i += step) {
        uint4 piece = body[i];
        ++piece.x;
        body[i] = piece;
    }
    for (uint64_t i = first; i < pieces.head; i += step) ++data[i];
    for (uint64_t i = pieces.tail_first + first; i < args.bytes; i += step) ++data[i];
}

// Loads bypass the L1 cache (.cg): the L2 and the memory are measured.
ENTRY(chase) {
    if (threadIdx.x != 0 || blockIdx.x != 0) return;
    uint32_t at = 0;
    const uint64_t begin = read_cycles();
    for (uint32_t i = 0; i < args.steps; ++i)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(args.links + at) : "memory");
    if (at == UINT32_MAX) args.cycles[0] = 0; // never true: makes the clock read wait for the last load
    const uint64_t cycles = read_cycles() - begin;
    args.cycles[0] = args.steps ? cycles / args.steps : 0;
}
