// SPDX-License-Identifier: Apache-2.0
//
// What a reader must know before trusting a number: noise, heat, throttling, clocks, other people's work on
// the machine, discarded samples, impossible throughputs. Sentences, one a finding; and whether a measurement
// can be used at all.
#ifndef CONTROL_VERDICT_WARNINGS_H
#define CONTROL_VERDICT_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "control/verdict/summary.h"
#include "record/result.h"

#define WARN_CV_PCT          12.0
#define WARN_TEMPERATURE_C   80.0
#define WARN_CLOCK_DRIFT_PCT 1.0 // between the first and the second half of a case's samples
#define WARN_SIDE_CLOCKS_PCT 0.3 // between the sides of a problem
#define WARN_LOCKED_PCT      2.0 // between the clock that was asked to be held and the one seen
#define WARN_OTHERS_PCT      2.0 // foreign plus steal time over a window
#define WARN_DISCARDED_PCT   5.0
#define WARN_MODES_CV_PCT    0.3   // groups under 1 % apart, of which one holds a tenth or more, vary by less
#define WARN_MODES_FROM      20    // samples: fewer fall into two groups by chance
#define WARN_DRIFT_P         0.001 // drift of the times themselves: p of Spearman's rho

struct warning_list {
    size_t count, capacity;
    const char **texts; // in the arena
};

// Of one problem and side. Sentences begin with the problem's name and the side's label. That nothing valid
// was measured is not said again where the result's decision says it.
void warnings_add_case(const struct result *result, const struct result_case *item, uint32_t side,
                       const struct summary *summary, struct arena *arena, struct warning_list *list);

// Of a whole result: every case and side, the run's own warnings, and of the device one sentence each for the
// whole run: a busy machine, measurements that did not count, heat, limits of the clock that do not make a
// measurement invalid (a power cap). -1: no memory.
int warnings_get(const struct result *result, struct arena *arena, struct warning_list *ret);

// True when a problem's measurement cannot be used (exit 3 of bench): nothing valid was measured of a side
// that is right, or its throughput is impossible. *ret_sentence says why.
bool warnings_is_invalid(const struct result *result, const struct result_case *item, uint32_t side,
                         const struct summary *summary, struct arena *arena, const char **ret_sentence);

#endif
