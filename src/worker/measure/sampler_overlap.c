// SPDX-License-Identifier: Apache-2.0
//
// Looks for launches of a sample that overlap: between samples launches are made in a row, each asked for
// when the one before is done, and compared with the samples before them. A kernel on one processor never
// comes to that, and one on several is cleared by rows that keep as many busy, until other samples differ
// from those rows. Beside a load few rows count: they are collected until there are enough, and samples that
// no rows have explained in the end do not count.
#include <stdio.h>

#include "worker/host/host_client.h"
#include "worker/measure/sampler_internal.h"

#define ROW_MOST   64u // launches
#define LAST_TRIES 4u  // of rows after the last sample

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

// Takes rows and compares them. The first is taken for a sample until its second launch, and does not count.
static int take_rows(struct sampler *sampler, size_t index, struct err *err) {
    struct overlap_watch *watch = &sampler->sides[index].watch;
    for (uint32_t i = 0; i <= OVERLAP_ROWS && watch->row_count < OVERLAP_ROWS; ++i) {
        struct host_row row = {0};
        uint32_t launches = 1;
        TRY(run_row(sampler, index, &row, &launches, err));
        if (sampler_has_failed(sampler)) return 0;
        if (i > 0) overlap_add_row(watch, row.launches_ns, row.wait_ns, row.cpu_ns, launches);
    }
    overlap_compare(watch);
    return 0;
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
    return time->cpu_ns && !sampler->device->backend->is_accelerator && !sampler->device->is_virtual &&
           sampler->sides[index].batch.launches > 1;
}

int sampler_watch_overlap(struct sampler *sampler, size_t index, const struct batch_time *time,
                          struct err *err) {
    struct overlap_watch *watch = &sampler->sides[index].watch;
    if (!is_watched(sampler, index, time)) return 0;
    const double busy = (double)time->cpu_ns / (double)time->judge_ns; // as of a row
    const double launch_ns = (double)time->judge_ns / sampler->sides[index].batch.launches;
    if (!overlap_add_sample(watch, busy, launch_ns, sampler->device->info.thread_count)) return 0;
    TRY(take_rows(sampler, index, err));
    if (watch->tries == OVERLAP_TRIES && !sampler_has_failed(sampler)) blame(sampler, index, &watch->figures);
    return 0;
}

// A kernel whose threads take all processors that it was given may leave the judge none to make rows with,
// and is not doubted for that.
int sampler_end_watch(struct sampler *sampler, size_t index, struct err *err) {
    struct overlap_watch *watch = &sampler->sides[index].watch;
    if (!overlap_is_beyond(&watch->figures)) return 0;
    for (uint32_t i = 0; i < LAST_TRIES && watch->is_open && !sampler_has_failed(sampler); ++i)
        TRY(take_rows(sampler, index, err));
    if (!watch->is_open || sampler_has_failed(sampler) || *sampler->doubt) return 0;
    sampler->doubted_side = index;
    sampler->doubt_cause = INVALID_CAUSE_BUSY;
    snprintf(
        sampler->doubt, sizeof sampler->doubt,
        "samples keep %.1f processors busy, and no launches in a row showed that a launch by itself does so "
        "too: they may overlap; try again with fewer other programs",
        watch->figures.sample_busy);
    return 0;
}
