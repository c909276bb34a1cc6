// SPDX-License-Identifier: Apache-2.0
//
// The pool's protocol. The caller writes the job, resets the counters and increments `ticket`; every helper
// thread takes part in every job (if only to find nothing left) and decrements `busy`. The next job starts
// only when busy is 0, so a late helper never sees a half-written one.
#include "worker/backend/cpu/cpu_pool.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

// Longer than the gap between two launches of one sample, shorter than a scheduler's tick.
#define SPIN_NS 50000

struct cpu_thread {
    struct cpu_pool *pool;
    uint32_t index;
    int processor;
    pthread_t handle;
    int schedstat_fd; // -1: not exposed
    clockid_t cpu_clock;
};

struct cpu_pool {
    struct assay_cpu_stream stream; // first: parallel_for gets this address
    cpu_set_t old_mask;
    uint32_t started; // helpers that run
    struct cpu_thread *threads;

    // The job: written before ticket is raised, read after.
    void (*body)(void *arg, int64_t index, uint32_t thread);
    void *arg;
    int64_t count, chunk;
    bool is_closing;

    alignas(64) _Atomic uint32_t ticket; // futex of the helpers
    alignas(64) _Atomic int64_t next;
    alignas(64) _Atomic uint32_t busy; // helpers still in the job, or not yet ready; futex of the caller
    // Threads that sleep on a futex or are about to: without any, waking needs no system call.
    alignas(64) _Atomic uint32_t sleepers;
};

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void futex_wake(struct cpu_pool *pool, _Atomic uint32_t *word) {
    if (atomic_load(&pool->sleepers)) syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

// Waits until *word differs from value (wants_equal false) or equals it (true): spins, then sleeps. The
// counter of sleepers is sequentially consistent on both sides: either the sleeper sees the new word (the
// kernel compares it once more), or the waker sees the sleeper.
static void wait_word(struct cpu_pool *pool, _Atomic uint32_t *word, uint32_t value, bool wants_equal) {
    uint64_t limit_ns = 0;
    for (uint32_t spins = 1;; ++spins) {
        uint32_t seen = atomic_load_explicit(word, memory_order_acquire);
        if ((seen == value) == wants_equal) return;
        relax();
        if (spins % 64) continue;
        uint64_t now_ns = clock_ns();
        if (!limit_ns) limit_ns = now_ns + SPIN_NS;
        if (now_ns < limit_ns) continue;
        atomic_fetch_add(&pool->sleepers, 1);
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        atomic_fetch_sub(&pool->sleepers, 1);
    }
}

static void run_chunks(struct cpu_pool *pool, uint32_t thread) {
    int64_t count = pool->count, chunk = pool->chunk;
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&pool->next, chunk, memory_order_relaxed);
        if (begin >= count) return;
        int64_t end = count - begin < chunk ? count : begin + chunk;
        for (int64_t i = begin; i < end; ++i) pool->body(pool->arg, i, thread);
    }
}

static void pool_parallel_for(const struct assay_cpu_stream *stream, int64_t count,
                              void (*body)(void *arg, int64_t index, uint32_t thread), void *arg) {
    struct cpu_pool *pool = (struct cpu_pool *)(uintptr_t)stream; // stream is the pool's first member
    if (count <= 1 || !pool->started) {
        for (int64_t i = 0; i < count; ++i) body(arg, i, 0);
        return;
    }
    pool->body = body;
    pool->arg = arg;
    pool->count = count;
    // Small enough to balance the threads, large enough to be cheap.
    pool->chunk = count / ((int64_t)pool->stream.thread_count * 16);
    if (pool->chunk < 1) pool->chunk = 1;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->busy, pool->started, memory_order_relaxed);
    atomic_fetch_add(&pool->ticket, 1);
    futex_wake(pool, &pool->ticket);
    run_chunks(pool, 0);
    wait_word(pool, &pool->busy, 0, true);
}

static void pin_self(int processor) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET((size_t)processor, &mask);
    // Some sandboxes refuse it: measurements are noisier then, not wrong.
    sched_setaffinity(0, sizeof mask, &mask);
}

// Opens the schedstat file and the CPU clock of the calling thread.
static void open_thread_times(struct cpu_thread *thread) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", (long)syscall(SYS_gettid));
    thread->schedstat_fd = open(path, O_RDONLY | O_CLOEXEC);
    pthread_getcpuclockid(pthread_self(), &thread->cpu_clock); // fails for threads that have ended
}

static void *helper_main(void *arg) {
    struct cpu_thread *thread = arg;
    struct cpu_pool *pool = thread->pool;
    pin_self(thread->processor);
    open_thread_times(thread);
    uint32_t ticket = 0; // of the job done last
    if (atomic_fetch_sub(&pool->busy, 1) == 1) futex_wake(pool, &pool->busy);
    for (;;) {
        wait_word(pool, &pool->ticket, ticket, false);
        ++ticket; // the caller waits for us, so it is never more than one ahead
        if (pool->is_closing) return NULL;
        run_chunks(pool, thread->index);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) futex_wake(pool, &pool->busy);
    }
}

static int start_helpers(struct cpu_pool *pool, struct err *err) {
    for (uint32_t i = 1; i < pool->stream.thread_count; ++i) {
        struct cpu_thread *thread = &pool->threads[i];
        atomic_fetch_add(&pool->busy, 1);
        int code = pthread_create(&thread->handle, NULL, helper_main, thread);
        if (code) return err_set(err, ERR_UNAVAILABLE, "cannot start thread %u: %s", i, strerror(code));
        ++pool->started;
    }
    wait_word(pool, &pool->busy, 0, true);
    return 0;
}

int cpu_pool_open(uint32_t thread_count, bool has_helpers, struct cpu_pool **ret, struct err *err) {
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot ask which processors we may use");
    uint32_t available = (uint32_t)CPU_COUNT(&mask);
    if (!thread_count) thread_count = available;
    if (thread_count > available || thread_count > CPU_POOL_THREADS_MAX)
        return err_set(err, ERR_USAGE,
                       "%u threads asked for, but this process may use %u processors; ask for fewer",
                       thread_count, available);
    struct cpu_pool *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);
    if (!pool) return err_set(err, ERR_UNAVAILABLE, "no memory for the thread pool");
    memset(pool, 0, sizeof *pool);
    pool->stream.struct_size = sizeof pool->stream;
    pool->stream.thread_count = thread_count;
    pool->stream.parallel_for = pool_parallel_for;
    pool->old_mask = mask;
    pool->threads = mem_alloc(thread_count * sizeof *pool->threads);
    int processor = -1;
    for (uint32_t i = 0; i < thread_count; ++i) {
        do ++processor;
        while (!CPU_ISSET((size_t)processor, &mask));
        pool->threads[i] =
            (struct cpu_thread){.pool = pool, .index = i, .processor = processor, .schedstat_fd = -1};
    }
    pin_self(pool->threads[0].processor);
    open_thread_times(&pool->threads[0]);
    const int code = has_helpers ? start_helpers(pool, err) : 0;
    if (code < 0) {
        cpu_pool_close(pool);
        return code;
    }
    *ret = pool;
    return 0;
}

void cpu_pool_pin_caller(struct cpu_pool *pool, bool is_pinned) {
    if (is_pinned)
        pin_self(pool->threads[0].processor);
    else
        sched_setaffinity(0, sizeof pool->old_mask, &pool->old_mask);
}

void cpu_pool_close(struct cpu_pool *pool) {
    if (!pool) return;
    pool->is_closing = true;
    atomic_fetch_add(&pool->ticket, 1);
    futex_wake(pool, &pool->ticket);
    for (uint32_t i = 1; i <= pool->started; ++i) pthread_join(pool->threads[i].handle, NULL);
    for (uint32_t i = 0; i < pool->stream.thread_count; ++i)
        if (pool->threads[i].schedstat_fd >= 0) close(pool->threads[i].schedstat_fd);
    sched_setaffinity(0, sizeof pool->old_mask, &pool->old_mask);
    free(pool->threads);
    free(pool);
}

const struct assay_cpu_stream *cpu_pool_stream(const struct cpu_pool *pool) {
    return &pool->stream;
}
uint32_t cpu_pool_thread_count(const struct cpu_pool *pool) {
    return pool->stream.thread_count;
}
uint32_t cpu_pool_running_count(const struct cpu_pool *pool) {
    return 1 + pool->started;
}
int cpu_pool_processor(const struct cpu_pool *pool, uint32_t thread) {
    return pool->threads[thread].processor;
}

struct thread_times {
    uint64_t run_ns, wait_ns; // wait_ns: waiting for a processor
};

static bool read_thread_times(const struct cpu_thread *thread, struct thread_times *ret) {
    char text[96];
    ssize_t length = thread->schedstat_fd >= 0 ? pread(thread->schedstat_fd, text, sizeof text - 1, 0) : -1;
    if (length <= 0) return false;
    text[length] = 0; // "run_ns wait_ns timeslices"
    char *end;
    ret->run_ns = strtoull(text, &end, 10);
    ret->wait_ns = strtoull(end, NULL, 10);
    return true;
}

uint64_t cpu_pool_wait_ns(const struct cpu_pool *pool, uint32_t thread) {
    struct thread_times times;
    return read_thread_times(&pool->threads[thread], &times) ? times.wait_ns : 0;
}

bool cpu_pool_sees_waits(const struct cpu_pool *pool) {
    struct thread_times times;
    for (uint32_t i = 0; i <= pool->started; ++i)
        if (!read_thread_times(&pool->threads[i], &times)) return false;
    return true;
}

// For a thread that runs on another processor, both the process's CPU clock and schedstat count only up to
// that processor's last tick, so schedstat is subtracted; the thread's own clock is up to date and would
// not match.
int64_t cpu_pool_other_threads_ns(const struct cpu_pool *pool) {
    int64_t ns = (int64_t)clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t i = 0; i <= pool->started; ++i) {
        struct thread_times times;
        const bool is_read = read_thread_times(&pool->threads[i], &times);
        ns -= (int64_t)(is_read ? times.run_ns : clock_read_ns(pool->threads[i].cpu_clock));
    }
    return ns;
}
