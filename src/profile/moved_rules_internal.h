// SPDX-License-Identifier: Apache-2.0
//
// The rules of what_moved.c: a figure that moves, what it can account for, and its sentence.
#ifndef PROFILE_MOVED_RULES_INTERNAL_H
#define PROFILE_MOVED_RULES_INTERNAL_H

#include "profile/cpu_profile.h"
#include "record/result.h"

enum moved_trend {
    MOVED_GROWS, // on the slower side by this share of the faster side's value
    MOVED_RISES, // by so many points
    MOVED_FALLS, // by this share
};

// A place in struct profile or struct cpu_profile, from 1; 0: none.
typedef size_t moved_figure;
enum { MOVED_BUSY_MAX = 3 };

// How much time a rule can account for, in times of the faster side: the most of what its members say. A rule
// without any of them states no share.
struct moved_rule {
    moved_figure figure;
    enum moved_trend trend;
    double threshold;
    unsigned stalls;                   // bits by enum profile_stall: longer waits for these reasons
    moved_figure busy[MOVED_BUSY_MAX]; // units, in per cent of the time: longer busy
    moved_figure work;                 // the figure's growth over the faster side's value of this one
    moved_figure rate;                 // a rate whose loss costs time in proportion
    const char *slower, *faster;       // on the slower side; and read from the other one, as a gain
    const char *look_at;
};

// Rules of a GPU and of a processor: specific ones come first, and win where shares are equal.
const struct moved_rule *moved_rules_of_gpu(size_t *ret_count);
const struct moved_rule *moved_rules_of_cpu(size_t *ret_count);

// Figures of the compiler. They say no share: what they cost shows in counters.
struct moved_build_rule {
    const char *metric;
    size_t offset;      // of the int64_t in struct build_report
    bool is_less_worse; // fewer are the slower side's
    double least;       // a smaller share of the faster side's is no move; 0: BUILD_MIN
    const char *slower, *faster, *look_at;
};
const struct moved_build_rule *moved_rules_of_build(size_t *ret_count);

#endif
