// SPDX-License-Identifier: Apache-2.0
//
// The arguments of our device kernels on the device, and what they leave in memory. Each entry takes one
// struct by value. Read by nvcc (device_kernels.cu), by C that fills the structs, and by the fake driver that
// runs the same device kernels on the processor (tests/fakes/): plain C99 with fixed widths only. Pointers
// are the device's. Entries are named assay_<struct less dev_>.
#ifndef DEVICE_DEVICE_KERNEL_ARGS_H
#define DEVICE_DEVICE_KERNEL_ARGS_H

#include <stdint.h>

// Version of all that follows; the program text exports it as the symbol assay_device_kernels_version.
#define DEV_VERSION 1u

// An element of a float64 reference with exactly these bits was not computed: comparisons pass it over.
#define DEV_SKIP_BITS UINT64_C(0x7ff8a55a00000001)

// ---- memory ----

struct dev_pattern { // any grid: data[i] = byte i % 8 of pattern (little endian)
    void *data;
    uint64_t bytes, pattern;
};

struct
    // any grid: adds two sums over (position, 8-byte word); equal bytes give equal sums, in any order of
    // blocks
    dev_hash {
    const void *data;
    uint64_t bytes;
    uint64_t *sums; // [2]
};

struct dev_find_difference { // any grid: first[0] = min(first[0], number of the first byte that differs)
    const void *a, *b;
    uint64_t bytes;
    uint64_t *first;
};

struct dev_region {
    const void *data;
    uint64_t bytes;
};
struct
    // a block a region: first[r] = min(first[r], number of the first byte of region r that is not `byte`)
    dev_find_unlike {
    const struct dev_region *regions;
    uint64_t *first;
    uint32_t region_count, byte;
};

struct dev_place {
    void *data;
    uint64_t value;           // its low `bytes` bytes
    uint32_t bytes, reserved; // 1, 2, 4 or 8
};
struct dev_poke { // any grid: writes every value to its place
    const struct dev_place *places;
    uint64_t place_count;
};
struct dev_peek { // any grid: values[i] = what place i holds, zero-extended
    const struct dev_place *places;
    uint64_t *values;
    uint64_t place_count;
};

// ---- holding an output against float64 ----

// What one block saw of its part. Sums are over elements that are numbers on both sides: `numbers` of them.
// Added up by the host in the order of blocks (dev_compare_merge), so that figures do not depend on who was
// first.
struct dev_compare_part {
    uint64_t compared, skipped, failed, unwritten, not_number, numbers;
    uint64_t first_failed, first_unwritten, first_not_number, worst_index; // UINT64_MAX: none
    double max_abs, max_ref;                                               // |out - ref|; finite |ref|
    double sum_abs, sum_sq, sum_ref_sq, sum_out, sum_ref, sum_out_sq, sum_out_ref;
};
#define DEV_COMPARE_THREADS_MAX 256 // of a block; more would stand idle
struct dev_compare {                // one part a block; block b takes elements [b * chunk, (b + 1) * chunk)
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
    uint64_t cycles; // clock64 of the multiprocessor
    uint64_t ns;     // globaltimer
    uint32_t sm, reserved;
};
struct dev_spin { // 1 block of 1 thread: busy for duration_ns; stamps[0] at its beginning, [1] at its end
    struct dev_stamp_value *stamps;
    uint64_t duration_ns;
};
struct dev_stamp { // a block of 32 threads a multiprocessor: stamps[block]
    struct dev_stamp_value *stamps;
};

// ---- caches ----

struct dev_flush { // any grid: reads and writes every 32-byte sector of data
    void *data;
    uint64_t bytes;
};
struct dev_chase { // 1 block of 1 thread: follows `steps` links from word 0, result: mean cycles of a step
    const uint32_t *links;
    uint64_t *cycles; // [1]
    uint32_t steps, reserved;
};

#endif
