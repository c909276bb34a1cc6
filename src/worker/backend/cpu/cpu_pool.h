// SPDX-License-Identifier: Apache-2.0
//
// A pool of pinned threads, one per processor that we may use; the caller is the first. It implements
// assay_cpu_stream.parallel_for: indices are handed out in chunks from one counter. Waiting threads spin for
// a moment and then sleep on a futex, so that a launch right after another costs a microsecond and an idle
// worker nothing.
#ifndef WORKER_BACKEND_CPU_CPU_POOL_H
#define WORKER_BACKEND_CPU_CPU_POOL_H

#include <assay/kernel.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define CPU_POOL_THREADS_MAX 1024

struct cpu_pool;

// thread_count 0: one for every processor in our affinity mask. More than there are: ERR_USAGE. The calling
// thread is pinned to the first processor. Without helpers the caller stays alone: parallel_for does all in
// its thread, and thread_count is what it tells to others.
int cpu_pool_open(uint32_t thread_count, bool has_helpers, struct cpu_pool **ret, struct err *err);
// Lets the calling thread run on all processors that it had before cpu_pool_open, or on its own again.
// Threads that it starts meanwhile inherit this.
void cpu_pool_pin_caller(struct cpu_pool *pool, bool is_pinned);
void cpu_pool_close(struct cpu_pool *pool); // accepts NULL; gives the caller its old mask back
const struct assay_cpu_stream *cpu_pool_stream(const struct cpu_pool *pool);
uint32_t cpu_pool_thread_count(const struct cpu_pool *pool);
uint32_t cpu_pool_running_count(const struct cpu_pool *pool);         // the caller and its helpers
int cpu_pool_processor(const struct cpu_pool *pool, uint32_t thread); // its number
// Time that the thread has waited for a processor so far (schedstat's run delay); 0 if unknown.
uint64_t cpu_pool_wait_ns(const struct cpu_pool *pool, uint32_t thread);
bool cpu_pool_sees_waits(const struct cpu_pool *pool); // of every thread
// CPU time of this process less that of the pool's threads, including the caller of cpu_pool_open: the time
// of threads that a kernel has started. While the pool runs it is off by at most one tick of the scheduler,
// either way.
int64_t cpu_pool_other_threads_ns(const struct cpu_pool *pool);

#endif
