// SPDX-License-Identifier: Apache-2.0
//
// The kernels of src/device/device_kernels.cu on the CPU: the fake driver launches them, and tests compare
// them with the host's own functions. Needs no other file of assay than the headers of src/device.
#ifndef TESTS_FAKES_DEVICE_HOST_H
#define TESTS_FAKES_DEVICE_HOST_H

#include <stdbool.h>
#include <stdint.h>

// Time as device kernels see it: stamps read it, a spin moves it on by its duration and does not wait.
extern uint64_t dev_host_now_ns;
extern double dev_host_clock_hz;        // of every multiprocessor
extern uint64_t dev_host_chase_cycles;  // what a step of a chase takes
extern uint64_t dev_host_miss_cycles;   // the same for what does not lie in the cache
extern double dev_host_flush_share;     // of what lies in the cache a flush drives out
extern uint64_t dev_host_flushed_bytes; // by all flushes so far

// Runs a whole grid. entry: "assay_hash"; args: its struct, at any alignment. 0; -1: there is no such entry.
int dev_run_on_host(const char *entry, const uint32_t grid[3], uint32_t block, const void *args);

// An operator's entries, each in device_host_<operator>.c: whether it is one of them, which has then run.
bool dev_host_attention(const char *entry, const void *args);

#endif
