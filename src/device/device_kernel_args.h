// SPDX-License-Identifier: Apache-2.0
//
// The arguments of our device kernels, and the results that they write to memory. Each kernel has one
// struct as its parameter, by value. Read by nvcc (device_kernels.cu), by C that fills the structs, and by
// the fake driver that runs the same kernels on the CPU (tests/fakes/): plain C99 with fixed widths only.
// Pointers are device addresses. The kernel of struct dev_x is assay_x.
#ifndef DEVICE_DEVICE_KERNEL_ARGS_H
#define DEVICE_DEVICE_KERNEL_ARGS_H

#include <stdint.h>

// Version of all that follows; the PTX exports it as the symbol assay_device_kernels_version.
#define DEV_VERSION 1u

// An element of a float64 reference with exactly these bits was not computed: comparisons skip it.
#define DEV_SKIP_BITS UINT64_C(0x7ff8a55a00000001)
// An element of a float64 reference that is +infinity, but that a right kernel may also make NaN: infinity
// times a weight that its precision does not hold.
#define DEV_FAINT_INFINITY_BITS UINT64_C(0x7ff8a55a00000002)

// ---- memory ----

// Any grid: data[i] = byte i % 8 of pattern (little endian).
struct dev_pattern {
    void *data;
    uint64_t bytes, pattern;
};

// Any grid: adds two sums over (position, 8-byte word); equal bytes give equal sums, in any order of blocks.
struct dev_hash {
    const void *data;
    uint64_t bytes;
    uint64_t *sums; // [2]
};

// Any grid: first[0] = min(first[0], number of the first byte that differs).
struct dev_find_difference {
    const void *a, *b;
    uint64_t bytes;
    uint64_t *first;
};

struct dev_region {
    const void *data;
    uint64_t bytes;
};
// One block a region: first[r] = min(first[r], number of the first byte of region r that is not `byte`).
struct dev_find_unlike {
    const struct dev_region *regions;
    uint64_t *first;
    uint32_t region_count, byte;
};

struct dev_place {
    void *data;
    uint64_t value;           // its low `bytes` bytes
    uint32_t bytes, reserved; // 1, 2, 4 or 8
};
// Any grid: writes every value to its place.
struct dev_poke {
    const struct dev_place *places;
    uint64_t place_count;
};
// Any grid: values[i] = the content of place i, zero-extended.
struct dev_peek {
    const struct dev_place *places;
    uint64_t *values;
    uint64_t place_count;
};

// ---- comparing an output with float64 ----

// The figures of one part of an output. Sums are over elements that are numbers on both sides: `numbers` of
// them. The host adds the parts up in their order (dev_compare_merge), so that figures do not depend on
// which block was first.
struct dev_compare_part {
    uint64_t compared, skipped, failed, unwritten, not_number, numbers;
    uint64_t first_failed, first_unwritten, first_not_number, worst_index; // UINT64_MAX: none
    double max_abs, max_ref;                                               // |out - ref|; finite |ref|
    double sum_abs, sum_sq, sum_ref_sq, sum_out, sum_ref, sum_out_sq, sum_out_ref;
};
#define DEV_COMPARE_THREADS_MAX 256 // threads of a block; more would be idle
// One part a block; block b compares elements [b * chunk, (b + 1) * chunk).
struct dev_compare {
    const void *out;
    const double *reference;
    struct dev_compare_part *parts;
    uint64_t count, chunk;
    uint64_t poison; // bits of an element that was never written
    double atol, rtol;
    int32_t dtype; // enum assay_dtype
    uint32_t reserved;
};

// ---- clocks ----

struct dev_stamp_value {
    uint64_t cycles; // clock64 of the SM
    uint64_t ns;     // globaltimer
    uint32_t sm, reserved;
};
// Any grid: every block is busy for duration_ns, by one thread. stamps[0], [1]: beginning and end of the
// first block.
struct dev_spin {
    struct dev_stamp_value *stamps;
    uint64_t duration_ns;
};
// One block of 32 threads per SM: stamps[block].
struct dev_stamp {
    struct dev_stamp_value *stamps;
};

// ---- caches ----

// Any grid: reads and writes every 32-byte sector of data.
struct dev_flush {
    void *data;
    uint64_t bytes;
};
// 1 block of 1 thread: follows `steps` links from word 0; cycles[0] = mean cycles of a step.
struct dev_chase {
    const uint32_t *links;
    uint64_t *cycles; // [1]
    uint32_t steps, reserved;
};

#endif
