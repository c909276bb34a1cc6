// SPDX-License-Identifier: Apache-2.0
//
// Tools of a kernel's own thread that watches for its moment.
#ifndef WATCH_CUH
#define WATCH_CUH

#include <atomic>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static inline uint64_t watch_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Linux adds 50 us.
static inline void watch_pause(long ns) {
    const struct timespec pause = {0, ns};
    nanosleep(&pause, nullptr);
}

// Begins a thread: on any processor, since the one of the thread that launches is busy, and on the device of
// the kernel.
static inline void watch_begin(int device) {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    (void)sched_setaffinity(0, sizeof all, &all);
    (void)cudaSetDevice(device);
}

__device__ static inline unsigned long long watch_device_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

#endif
