// SPDX-License-Identifier: Apache-2.0
//
// Looks for launches of a sample that overlap: between samples launches are made in a row, each asked for
// when the one before is done, and compared with the samples before them. A kernel on one processor never
// comes to that, and one on several is cleared by rows that keep as many busy.
#include <stdio.h>

#include "stats/describe.h"
#include "stats/float_order.h"
#include "worker/host/host_client.h"
#include "worker/measure/overlap.h"
#include "worker/measure/sampler_internal.h"

#define BUSY_LEAST      1.2 // processors; fewer are one, and what it costs to ask
#define ROWS            7u
#define ROW_MOST        64u // launches
#define ROWS_LEAST      5u  // of them, that count
#define WAIT_SHARE_MOST 0.25
#define TRIES           3u // in a row that have to show it

// The sets of the batch, each as often, in a drawn order: nobody knows which one is next.
static void draw_order(struct sampler *sampler, const struct batch *batch, uint32_t *ret) {
    for (uint32_t i = 0; i < batch->launches; ++i) {
        const uint32_t k = (uint32_t)dice_below(&sampler->dice, i + 1);
        ret[i] = ret[k];
        ret[k] = (batch->first_set + i) % batch->set_count;
    }
}

// Launches in a row, as many as a sample has or ROW_MOST, on data and outputs as before a sample and checked
// as after one. A failure is set in the sampler.
static int run_row(struct sampler *sampler, size_t index, struct host_row *ret, uint32_t *ret_count,
                   struct err *err) {
    struct batch batch = sampler->sides[index].batch;
    char text[SAMPLER_MESSAGE_BYTES - 64] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    uint32_t order[ROW_MOST] = {0};
    batch.first_set = sampler->sides[index].next_set % batch.set_count;
    if (batch.launches > ROW_MOST) batch.launches = ROW_MOST;
    *ret_count = batch.launches;
    sampler_pause(sampler, index);
    if (sampler->sample_begin) TRY(sampler->sample_begin(sampler->arg, index, &batch, err));
    if (sampler->on_side) sampler->on_side(sampler->arg, index);
    draw_order(sampler, &batch, order);
    const int status = host_run_row(batch.host, sampler->device, &batch, order, ret, &message);
    if (status != ASSAY_OK) sampler_fail_launch(sampler, index, status, text);
    return status == ASSAY_OK && sampler->sample_end
               ? sampler_end_batch(sampler, sampler->sample_end, index, &batch, err)
               : 0;
}

// Of rows that count, [count].
struct rows {
    uint32_t count;
    double busy[ROWS], launch_ns[ROWS];
};

// What waited for a processor was held up by others, more often than a sample is: between two launches of a
// row its processor is left. So that time is none of the launches', and a row with much of it says nothing.
static void add_row(const struct host_row *row, uint32_t launches, struct rows *ret) {
    if ((double)row->wait_ns > WAIT_SHARE_MOST * (double)row->launches_ns || !row->cpu_ns) return;
    const double spent_ns = (double)(row->launches_ns - row->wait_ns);
    ret->busy[ret->count] = (double)row->cpu_ns / spent_ns;
    ret->launch_ns[ret->count++] = spent_ns / launches;
}

// The first row is taken for a sample until its second launch, and does not count.
static int take_rows(struct sampler *sampler, size_t index, struct rows *ret, struct err *err) {
    *ret = (struct rows){0};
    for (uint32_t i = 0; i <= ROWS && !sampler->failure.kind; ++i) {
        struct host_row row = {0};
        uint32_t launches = 1;
        TRY(run_row(sampler, index, &row, &launches, err));
        if (i > 0 && !sampler->failure.kind) add_row(&row, launches, ret);
    }
    return 0;
}

// Nearly the highest number of processors and the shortest launch: a single row may be disturbed, and find a
// thread at work that was begun before. False: too few rows count.
static bool summarize(struct rows *rows, struct overlap_figures *ret) {
    if (rows->count < ROWS_LEAST) return false;
    float_order_sort(rows->busy, rows->count);
    float_order_sort(rows->launch_ns, rows->count);
    ret->single_busy = rows->busy[rows->count - 2];
    ret->single_launch_ns = rows->launch_ns[1];
    return true;
}

static void blame(struct sampler *sampler, size_t index, const struct overlap_figures *figures) {
    sampler_fail(sampler, index, SAMPLER_FAILURE_LATE_WORK);
    snprintf(sampler->failure.message, sizeof sampler->failure.message,
             "launches of a sample overlap: %.1f processors are busy in a sample and %.1f in a launch by "
             "itself, and a launch takes %.1f us there and %.1f us by itself",
             figures->sample_busy, figures->single_busy, figures->sample_launch_ns / 1e3,
             figures->single_launch_ns / 1e3);
}

static bool is_watched(const struct sampler *sampler, size_t index, const struct batch_time *time) {
    const struct sampler_side *side = &sampler->sides[index];
    return !side->watch.is_cleared && time->cpu_ns && !sampler->device->backend->is_accelerator &&
           !sampler->device->is_virtual && side->batch.launches > 1;
}

int sampler_watch_overlap(struct sampler *sampler, size_t index, const struct batch_time *time,
                          struct err *err) {
    struct sampler_watch *watch = &sampler->sides[index].watch;
    if (!is_watched(sampler, index, time)) return 0;
    watch->busy[watch->count] = (double)time->cpu_ns / (double)time->judge_ns; // as of a row
    watch->launch_ns[watch->count] = (double)time->judge_ns / sampler->sides[index].batch.launches;
    if (++watch->count < SAMPLER_WATCHED) return 0;
    watch->count = 0;
    struct overlap_figures figures = {.thread_count = sampler->device->info.thread_count};
    figures.sample_busy = describe_unsorted_median(watch->busy, SAMPLER_WATCHED);
    figures.sample_launch_ns = describe_unsorted_median(watch->launch_ns, SAMPLER_WATCHED);
    if (figures.sample_busy < BUSY_LEAST) return 0;
    struct rows rows;
    TRY(take_rows(sampler, index, &rows, err));
    if (sampler->failure.kind || !summarize(&rows, &figures)) return 0;
    watch->is_cleared = !overlap_is_shown(&figures);
    if (!watch->is_cleared && ++watch->tries == TRIES) blame(sampler, index, &figures);
    return 0;
}
