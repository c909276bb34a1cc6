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
// Whether samples keep more processors busy than the kernel was given: what only overlap explains, or threads
// of the kernel's own.
bool overlap_is_beyond(const struct overlap_figures *figures);

#define OVERLAP_SAMPLES 6  // that rows, launches made one by one, are compared with
#define OVERLAP_ROWS    7u // such rows
#define OVERLAP_TRIES   3u // in a row that have to show it

// What is known of a side's samples. Zeroed: nothing.
struct overlap_watch {
    uint32_t sample_count; // since samples were last looked at
    double busy[OVERLAP_SAMPLES], launch_ns[OVERLAP_SAMPLES];
    uint32_t row_count; // that count, since rows were last compared
    double row_busy[OVERLAP_ROWS], row_launch_ns[OVERLAP_ROWS];
    struct overlap_figures figures; // of the last samples and of the last rows
    uint32_t tries;                 // times in a row that they showed it
    // Samples keep several processors busy, and rows have not explained it; they have.
    bool is_open, is_cleared;
};

// A sample, of launches that took so long each. True: rows have to be taken.
bool overlap_add_sample(struct overlap_watch *watch, double busy, double launch_ns, uint32_t thread_count);
// A row: its time, of which it waited for a processor, and the CPU time of all threads. What waited was held
// up by others, more often than a sample is, since between two launches its processor is left. So that time
// is none of the launches', and a row with much of it says nothing.
void overlap_add_row(struct overlap_watch *watch, uint64_t row_ns, uint64_t wait_ns, uint64_t cpu_ns,
                     uint32_t launches);
// Compares the rows with the last samples, where enough of them count; rows are kept until then.
void overlap_compare(struct overlap_watch *watch);

#endif
