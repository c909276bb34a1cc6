// SPDX-License-Identifier: Apache-2.0
//
// Single calls after the samples: what a program that needs the result at once would see.
#include <math.h>

#include "stats/describe.h"
#include "worker/host/batch_run.h"
#include "worker/measure/sampler.h"
#include "worker/measure/sampler_internal.h"

#define CALLS_MOST      20u
#define CALLS_LEAST     3u
#define CALLS_BUDGET_NS 20000000u // of a side; slow kernels do with few

static void time_calls(struct sampler *sampler, size_t index) {
    struct sampler_side *side = &sampler->sides[index];
    double times_ns[CALLS_MOST];
    size_t count = 0;
    uint64_t spent_ns = 0;
    side->call_count = 0;
    while (count < CALLS_MOST && (count < CALLS_LEAST || spent_ns < CALLS_BUDGET_NS)) {
        struct batch batch = side->batch;
        struct batch_time time;
        const bool is_first = side->call_count == 0; // wakes sleeping threads, and does not count
        sampler_pause(sampler, index);
        batch.first_set = (side->next_set + side->call_count++) % batch.set_count;
        batch.launches = 1;
        batch.is_timed = false; // not replayed: includes the whole cost of a call
        if (!sampler_run_batch(sampler, index, batch, &time)) return;
        if (is_first) continue;
        times_ns[count++] = (double)time.duration_ns;
        spent_ns += time.duration_ns;
    }
    side->call_wall_ns = describe_unsorted_median(times_ns, count);
    side->call_least_ns = times_ns[0];
    for (size_t i = 1; i < count; ++i) side->call_least_ns = fmin(side->call_least_ns, times_ns[i]);
}

static void run_hook(struct sampler *sampler, size_t index, bool is_begin) {
    char text[SAMPLER_MESSAGE_BYTES - 64] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    const int status = batch_calls_hook(sampler->device, &sampler->sides[index].batch, is_begin, &message);
    if (status != ASSAY_OK && !sampler->failure.kind) sampler_fail_launch(sampler, index, status, text);
}

void sampler_time_calls(struct sampler *sampler) {
    for (size_t i = 0; i < sampler->side_count && !sampler->device->is_virtual; ++i) {
        run_hook(sampler, i, true);
        if (!sampler->failure.kind) time_calls(sampler, i);
        run_hook(sampler, i, false);
        if (sampler->failure.kind) return;
    }
}
