// SPDX-License-Identifier: Apache-2.0
//
// See overlap.h. A launch that overlaps on one more processor keeps up to one more busy, and takes up to half
// as long if it was alone on one before; less is left to chance, since a thread that is woken late works for
// less of a single launch than of a sample.
#include "worker/measure/overlap.h"

#include "stats/describe.h"
#include "stats/float_order.h"

#define BUSY_LEAST        1.2  // processors; fewer are one, and what it costs to ask
#define ROWS_LEAST        5u   // that count
#define WAIT_SHARE_MOST   0.25 // of such a row
#define BUSY_APART        0.4  // processors
#define BUSY_APART_BEYOND 0.25 // where a sample keeps more busy than the kernel was given,
#define BUSY_BEYOND       0.2  // by more than that
#define GAIN_LEAST        1.2  // a single launch takes so many times as long
#define GAIN_LEAST_NS     2000.0

bool overlap_is_beyond(const struct overlap_figures *figures) {
    return figures->sample_busy - (double)figures->thread_count > BUSY_BEYOND;
}

bool overlap_is_shown(const struct overlap_figures *figures) {
    const double apart = overlap_is_beyond(figures) ? BUSY_APART_BEYOND : BUSY_APART;
    return figures->sample_busy - figures->single_busy > apart &&
           figures->single_launch_ns > GAIN_LEAST * figures->sample_launch_ns &&
           figures->single_launch_ns - figures->sample_launch_ns > GAIN_LEAST_NS;
}

bool overlap_add_sample(struct overlap_watch *watch, double busy, double launch_ns, uint32_t thread_count) {
    watch->busy[watch->sample_count] = busy;
    watch->launch_ns[watch->sample_count] = launch_ns;
    if (++watch->sample_count < OVERLAP_SAMPLES) return false;
    watch->sample_count = 0;
    watch->figures.thread_count = thread_count;
    watch->figures.sample_busy = describe_unsorted_median(watch->busy, OVERLAP_SAMPLES);
    watch->figures.sample_launch_ns = describe_unsorted_median(watch->launch_ns, OVERLAP_SAMPLES);
    if (watch->figures.sample_busy < BUSY_LEAST) return false;
    if (watch->is_cleared && !overlap_is_shown(&watch->figures)) return false; // as the rows of before
    watch->is_open = true;
    return true;
}

void overlap_add_row(struct overlap_watch *watch, uint64_t row_ns, uint64_t wait_ns, uint64_t cpu_ns,
                     uint32_t launches) {
    if ((double)wait_ns > WAIT_SHARE_MOST * (double)row_ns || !cpu_ns || watch->row_count == OVERLAP_ROWS)
        return;
    const double spent_ns = (double)(row_ns - wait_ns);
    watch->row_busy[watch->row_count] = (double)cpu_ns / spent_ns;
    watch->row_launch_ns[watch->row_count++] = spent_ns / launches;
}

// Of the rows nearly the highest number of processors and the shortest launch: a single row may be disturbed,
// and find a thread at work that was begun before.
void overlap_compare(struct overlap_watch *watch) {
    if (watch->row_count < ROWS_LEAST) return;
    float_order_sort(watch->row_busy, watch->row_count);
    float_order_sort(watch->row_launch_ns, watch->row_count);
    watch->figures.single_busy = watch->row_busy[watch->row_count - 2];
    watch->figures.single_launch_ns = watch->row_launch_ns[1];
    watch->row_count = 0;
    watch->is_open = overlap_is_shown(&watch->figures);
    watch->is_cleared = !watch->is_open;
    watch->tries = watch->is_open ? watch->tries + 1 : 0;
}
