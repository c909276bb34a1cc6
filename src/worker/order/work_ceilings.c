// SPDX-License-Identifier: Apache-2.0
//
// Measured peaks of the device with all its threads at once, one record per figure. The loops are in
// worker/backend/cpu/ceilings_cpu.h.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "worker/backend/cpu/ceilings_cpu.h"
#include "worker/order/work_internal.h"

#define CEILING_BUDGET_NS 400000000u           // a figure
#define CEILING_LLC_BYTES ((uint64_t)64 << 20) // where the last cache's size is not known
#define CEILING_BYTES_MAX ((uint64_t)1 << 30)

enum ceiling_kind { CEILING_FMA = 0, CEILING_READ, CEILING_COPY, CEILING_COUNT };

struct ceiling_job {
    enum ceiling_kind kind;
    uint32_t threads;
    atomic_uint arrived;
    char *memory; // bytes_each a thread
    size_t bytes_each;
    double *figures; // a thread
    atomic_int code;
    struct err *errors; // a thread
};

// A barrier holds every thread until all have arrived, so that each gets exactly one index and all measure
// at the same time.
static void measure_thread(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    struct ceiling_job *job = arg;
    atomic_fetch_add(&job->arrived, 1);
    while (atomic_load(&job->arrived) < job->threads) continue;
    char *memory = job->memory + (size_t)index * job->bytes_each;
    double *figure = &job->figures[index];
    struct err *err = &job->errors[index];
    int code = job->kind == CEILING_FMA ? ceiling_cpu_fma(isa_widest(), CEILING_BUDGET_NS, figure, err)
               : job->kind == CEILING_READ
                   ? ceiling_cpu_read(memory, job->bytes_each, CEILING_BUDGET_NS, figure, err)
                   : ceiling_cpu_copy(memory, job->bytes_each, CEILING_BUDGET_NS, figure, err);
    if (code < 0) atomic_store(&job->code, code);
}

static int write_ceiling(struct work *work, struct ceiling_job *job, struct err *err) {
    static const char *const names[CEILING_COUNT] = {"fp32_fma_gflop_per_s", "read_gb_per_s",
                                                     "copy_gb_per_s"};
    const struct assay_cpu_stream *stream = work->device->host_stream;
    char detail[96];
    if (job->kind == CEILING_FMA)
        snprintf(detail, sizeof detail, "%s, %u threads", isa_name(isa_widest()), job->threads);
    else
        snprintf(detail, sizeof detail, "%zu MiB a thread, %u threads", job->bytes_each >> 20, job->threads);
    struct record record = work_record(work, RECORD_CEILING);
    record.ceiling.name = names[job->kind];
    record.ceiling.detail = detail;
    atomic_store(&job->arrived, 0);
    atomic_store(&job->code, 0);
    stream->parallel_for(stream, job->threads, measure_thread, job);
    for (uint32_t i = 0; i < job->threads; ++i) {
        if (job->errors[i].code != ERR_NONE) {
            if (err) *err = job->errors[i];
            return atomic_load(&job->code);
        }
        record.ceiling.value += job->figures[i];
    }
    return work_write(work, &record, err);
}

int work_ceilings(struct work *work, struct err *err) {
    if (work->device->is_virtual)
        return err_set(err, ERR_UNAVAILABLE,
                       "device '%s' is simulated: it has no bandwidth and no arithmetic to measure",
                       work->device->info.device);
    if (work->device->backend->is_accelerator)
        return err_set(
            err, ERR_UNAVAILABLE,
            "'%s': assay measures the ceilings of processors only; throughputs of a GPU are reported "
            "without their share of them",
            work->device->info.device);
    struct ceiling_job job = {.threads = work->device->info.thread_count};
    uint64_t llc_bytes = work->device->info.llc_bytes ? work->device->info.llc_bytes : CEILING_LLC_BYTES;
    uint64_t bytes =
        4 * llc_bytes < CEILING_BYTES_MAX ? 4 * llc_bytes : CEILING_BYTES_MAX; // beyond every cache
    job.bytes_each = (size_t)(bytes / job.threads) / 4096 * 4096;
    job.memory = aligned_alloc(4096, job.bytes_each * job.threads);
    if (!job.memory) return err_set(err, ERR_UNAVAILABLE, "no memory to measure its bandwidth with");
    for (size_t i = 0; i < job.bytes_each * job.threads; i += 64) job.memory[i] = (char)i;
    job.figures = mem_alloc(job.threads * sizeof *job.figures);
    job.errors = mem_alloc(job.threads * sizeof *job.errors);
    int code = 0;
    for (int kind = 0; kind < CEILING_COUNT && code == 0; ++kind) {
        job.kind = (enum ceiling_kind)kind;
        code = write_ceiling(work, &job, err);
    }
    free(job.memory);
    free(job.figures);
    free(job.errors);
    return code;
}
