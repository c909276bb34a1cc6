// SPDX-License-Identifier: Apache-2.0
//
// Ceilings of a processor: every thread of the device measures at the same time, and the figures are added
// up. They hold in both power modes, since a processor is not given pauses.
#include "worker/backend/cpu/ceilings_threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "worker/backend/cpu/ceilings_cpu.h"

#define BUDGET_NS          400000000u           // a figure
#define LLC_BYTES_UNKNOWN  ((uint64_t)64 << 20) // where the last cache's size is not known
#define MEMORY_COVER       4                    // of the last cache
#define MEMORY_BYTES_MAX   ((uint64_t)1 << 30)
#define MEMORY_PIECE_BYTES 4096

struct job {
    int (*measure)(void *memory, size_t bytes, double *ret, struct err *err); // of one thread
    uint32_t threads;
    atomic_uint arrived;
    char *memory; // bytes_each a thread
    size_t bytes_each;
    double *figures; // a thread
    struct err *errors;
};

static int measure_fma(void *memory, size_t bytes, double *ret, struct err *err) {
    (void)memory, (void)bytes;
    return ceiling_cpu_fma(isa_widest(), BUDGET_NS, ret, err);
}

static int measure_read(void *memory, size_t bytes, double *ret, struct err *err) {
    return ceiling_cpu_read(memory, bytes, BUDGET_NS, ret, err);
}

static int measure_write(void *memory, size_t bytes, double *ret, struct err *err) {
    return ceiling_cpu_write(memory, bytes, BUDGET_NS, ret, err);
}

static int measure_copy(void *memory, size_t bytes, double *ret, struct err *err) {
    return ceiling_cpu_copy(memory, bytes, BUDGET_NS, ret, err);
}

static const struct {
    const char *name; // record/ceiling.h
    int (*measure)(void *memory, size_t bytes, double *ret, struct err *err);
} figures[] = {
    {"fp32_fma_gflop_per_s", measure_fma},
    {"read_gb_per_s", measure_read},
    {"write_gb_per_s", measure_write},
    {"copy_gb_per_s", measure_copy},
};

// A barrier holds every thread until all have arrived, so that each gets exactly one index and all measure
// at the same time.
static void measure_thread(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    struct job *job = arg;
    atomic_fetch_add(&job->arrived, 1);
    while (atomic_load(&job->arrived) < job->threads) continue;
    (void)job->measure(job->memory + (size_t)index * job->bytes_each, job->bytes_each, &job->figures[index],
                       &job->errors[index]);
}

// The sum over all threads.
static int measure(struct device *device, struct job *job, double *ret, struct err *err) {
    const struct assay_cpu_stream *stream = device->host_stream;
    atomic_store(&job->arrived, 0);
    stream->parallel_for(stream, job->threads, measure_thread, job);
    *ret = 0;
    for (uint32_t i = 0; i < job->threads; ++i) {
        if (job->errors[i].code != ERR_NONE) {
            if (err) *err = job->errors[i];
            return -(int)job->errors[i].code;
        }
        *ret += job->figures[i];
    }
    return 0;
}

static int measure_all(struct device *device, struct job *job, ceiling_fn *on_ceiling, void *arg,
                       struct err *err) {
    for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i) {
        char detail[96];
        struct ceiling ceiling = {.name = figures[i].name, .detail = detail, .clock_hz = NAN};
        job->measure = figures[i].measure;
        TRY(measure(device, job, &ceiling.value, err));
        if (figures[i].measure == measure_fma)
            snprintf(detail, sizeof detail, "%s, %u threads", isa_name(isa_widest()), job->threads);
        else
            snprintf(detail, sizeof detail, "%zu MiB a thread, %u threads", job->bytes_each >> 20,
                     job->threads);
        TRY(on_ceiling(arg, &ceiling, err));
    }
    return 0;
}

int cpu_measure_ceilings(struct device *device, ceiling_fn *on_ceiling, void *arg, struct err *err) {
    struct job job = {.threads = device->info.thread_count};
    const uint64_t llc_bytes = device->info.llc_bytes ? device->info.llc_bytes : LLC_BYTES_UNKNOWN;
    const uint64_t bytes =
        MEMORY_COVER * llc_bytes < MEMORY_BYTES_MAX ? MEMORY_COVER * llc_bytes : MEMORY_BYTES_MAX;
    job.bytes_each = (size_t)(bytes / job.threads) / MEMORY_PIECE_BYTES * MEMORY_PIECE_BYTES;
    job.memory = aligned_alloc(MEMORY_PIECE_BYTES, job.bytes_each * job.threads);
    if (!job.memory) return err_set(err, ERR_UNAVAILABLE, "no memory to measure its bandwidth with");
    for (size_t i = 0; i < job.bytes_each * job.threads; i += 64) job.memory[i] = (char)i;
    job.figures = mem_alloc(job.threads * sizeof *job.figures);
    job.errors = mem_alloc(job.threads * sizeof *job.errors);
    const int code = measure_all(device, &job, on_ceiling, arg, err);
    free(job.memory);
    free(job.figures);
    free(job.errors);
    return code;
}
