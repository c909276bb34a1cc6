// SPDX-License-Identifier: Apache-2.0
//
// The host's threads, for kernels on the CPU: how many a launch may use, and a loop spread over them.
#ifndef COMMON_CPU_THREADS_H
#define COMMON_CPU_THREADS_H

#include <assay/kernel.h>
#include <stdint.h>

// Threads that a launch may use: prepare sizes the per-thread workspaces for env->thread_count.
static inline uint32_t cpu_thread_count(const struct assay_env *env) {
    return env && env->thread_count > 0 ? env->thread_count : 1;
}

// Runs body(arg, index, thread) for all indices on the stream's threads; on the calling thread if the host
// passes no stream or one with more threads than prepare was told of.
static inline void cpu_parallel_for(void *stream, uint32_t thread_count, int64_t count,
                                    void (*body)(void *arg, int64_t index, uint32_t thread), void *arg) {
    const struct assay_cpu_stream *pool = (const struct assay_cpu_stream *)stream;
    if (pool && pool->parallel_for && pool->thread_count <= thread_count) {
        pool->parallel_for(pool, count, body, arg);
        return;
    }
    for (int64_t i = 0; i < count; ++i) body(arg, i, 0);
}

#endif
