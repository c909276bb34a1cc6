// SPDX-License-Identifier: Apache-2.0
//
// The figures of one problem and side, from its raw samples: the only place that computes them. Reports print
// them, the result document carries the ones of struct case_summary, control/verdict/warnings.h judges them.
#ifndef CONTROL_VERDICT_SUMMARY_H
#define CONTROL_VERDICT_SUMMARY_H

#include <stdint.h>

#include "record/result.h"
#include "stats/describe.h"

// Everything that a report may want to say of one problem and side.
struct summary {
    struct case_summary figures; // is_set false: no sample counts, and nothing else is meaningful
    struct describe describe;    // of the per-launch times in ns, in the order of measurement
    struct device_state state;   // means and extremes over the valid rounds; absent where none says
    double clock_probe_low_hz, clock_probe_high_hz; // medians of the readings' two halves; NAN when not read
    size_t round_count;                             // valid rounds with samples of this side
    size_t considered_count;                        // samples taken, without first pairs and audits
    bool is_over_ceiling;                           // above 1.02 x the measured ceiling: an accounting error
};

// May this run's bytes be held against the measured rate of memory? In cold mode everything comes from
// memory. Rotating sets are larger than a GPU's last cache, but on a processor only than the second level:
// the third may serve them.
bool summary_has_byte_ceiling(const struct environment *environment);

// Is a call by itself another figure than a launch among many? On a processor it is the same.
bool summary_has_call(const struct result *result, const struct summary *summary);

// Figures of a side of a case. Exact bootstrap for the interval of the median. -1: no memory.
int summary_get(const struct result *result, const struct result_case *item, uint32_t side,
                struct summary *ret);

// Sets summaries of every case and side, for result_write(). -1: no memory.
int summary_set_all(struct result *result);

#endif
