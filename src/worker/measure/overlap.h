// SPDX-License-Identifier: Apache-2.0
//
// Whether launches of a sample overlap: a launch returns before it is done, and another processor goes on
// with it, or has begun the next ones. Such a sample keeps more processors busy than a launch by itself, and
// its launches take less time each. With a kernel that uses several processors in every launch as many are
// busy in either.
#ifndef WORKER_MEASURE_OVERLAP_H
#define WORKER_MEASURE_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

struct overlap_figures {
    // Processors kept busy, CPU time over wall time: in samples, and in launches made one by one.
    double sample_busy, single_busy;
    double sample_launch_ns, single_launch_ns; // wall time of one launch
    uint32_t thread_count;                     // that the kernel was given
};

bool overlap_is_shown(const struct overlap_figures *figures);

#endif
