// SPDX-License-Identifier: Apache-2.0
//
// The kernels of src/device/device_kernels.cu on the CPU: the fake driver launches them, and tests compare
// them with the host's own functions. Needs no other file of assay than the headers of src/device.
#ifndef TESTS_FAKES_DEVICE_HOST_H
#define TESTS_FAKES_DEVICE_HOST_H

#include <stdbool.h>
#include <stdint.h>

// Virtual time of device kernels: stamps read it; a spin adds its duration and returns at once.
extern uint64_t dev_host_now_ns;
extern double dev_host_clock_hz;        // of every multiprocessor
extern uint64_t dev_host_chase_cycles;  // cycles of one step of a chase through cached lines
extern uint64_t dev_host_miss_cycles;   // the same for lines that are not cached
extern double dev_host_flush_share;     // share of the cached lines that a flush evicts
extern uint64_t dev_host_flushed_bytes; // by all flushes so far

// Runs a whole grid. entry: "assay_hash"; args: its struct, at any alignment. 0; -1: there is no such entry.
int dev_run_on_host(const char *entry, const uint32_t grid[3], uint32_t block, const void *args);

// device_host_ceilings.c: runs the entry if it measures a ceiling, and returns whether. Its virtual time is
// that of a device with these rates, in work per ns, and a start of DEV_HOST_CEILING_START_NS.
bool dev_host_ceiling(const char *entry, uint64_t blocks, const void *args);
#define DEV_HOST_CEILING_START_NS 1000
#define DEV_HOST_BYTES_PER_NS     2000.0
#define DEV_HOST_CACHED_PER_NS    6000.0 // of DEV_HOST_CACHED_TILES or fewer
#define DEV_HOST_CACHED_TILES     8
#define DEV_HOST_FMA_FLOP_PER_NS  5e4
#define DEV_HOST_E4M3_FLOP_PER_NS 1.6e6 // numbers of two bytes: half as many
// The sum of all accumulators of one block with this seed: of each matrix instruction, and of the
// multiply-adds.
double dev_host_wgmma_sum(int32_t dtype, uint64_t seed, uint32_t repeats);
double dev_host_mma_sum(int32_t dtype, uint64_t seed, uint32_t repeats);
double dev_host_fma_sum(uint64_t seed, uint32_t repeats);

// An operator's entries are in device_host_<operator>.c: bool dev_host_<operator>(entry, args) runs
// `entry` if it is one of them, and returns whether.

#endif
