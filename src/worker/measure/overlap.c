// SPDX-License-Identifier: Apache-2.0
//
// See overlap.h. A launch that overlaps on one more processor keeps up to one more busy, and takes up to half
// as long if it was alone on one before; less is left to chance, since a thread that is woken late works for
// less of a single launch than of a sample.
#include "worker/measure/overlap.h"

#define BUSY_APART        0.4  // processors
#define BUSY_APART_BEYOND 0.25 // where a sample keeps more busy than the kernel was given,
#define BUSY_BEYOND       0.2  // by more than that
#define GAIN_LEAST        1.2  // a single launch takes so many times as long
#define GAIN_LEAST_NS     2000.0

bool overlap_is_shown(const struct overlap_figures *figures) {
    const double beyond = figures->sample_busy - (double)figures->thread_count;
    const double apart = beyond > BUSY_BEYOND ? BUSY_APART_BEYOND : BUSY_APART;
    return figures->sample_busy - figures->single_busy > apart &&
           figures->single_launch_ns > GAIN_LEAST * figures->sample_launch_ns &&
           figures->single_launch_ns - figures->sample_launch_ns > GAIN_LEAST_NS;
}
