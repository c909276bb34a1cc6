// SPDX-License-Identifier: Apache-2.0
//
// A stage of a tuning, a heat or the final: a run of its own in the tuning's folder, with the baseline and
// some variants as sides. A stage that was begun is resumed by its journal.
#ifndef CONTROL_FLOW_TUNE_TUNE_STAGE_H
#define CONTROL_FLOW_TUNE_TUNE_STAGE_H

#include "control/flow/tune/tune_state.h"

#define TUNE_SIDE_NONE UINT32_MAX

struct tune_stage {
    const char *name; // "heat-001"; of its folder
    uint64_t number;  // of its seed
    uint32_t round_max;
    uint32_t variant_limit;                    // of a heat: new variants that it has room for
    size_t entry_count;                        // with the baseline, which is the first
    struct tune_point points[TUNE_HEAT_SIDES]; // from 1 on
    // The rest is set by tune_stage_open().
    struct session session;
    struct run run;
    uint32_t sides[TUNE_HEAT_SIDES]; // of the plan; TUNE_SIDE_NONE: out
    enum tune_fate fates[TUNE_HEAT_SIDES];
    const char *reasons[TUNE_HEAT_SIDES]; // in the record's arena: one line each ...
    const char *logs[TUNE_HEAT_SIDES];    // ... and all lines of what failed; NULL: nothing did
    // Of each entry, the problems that it does not take, by the places of the cases; in the record's arena.
    bool *is_unsupported[TUNE_HEAT_SIDES];
    uint32_t unsupported_counts[TUNE_HEAT_SIDES];
    // Of each entry and problem, the sum of ln(entry / baseline) over the rounds of a heat, NAN where it does
    // not take the problem; in the record's arena.
    double *problem_sums[TUNE_HEAT_SIDES];
    uint32_t round_counts[TUNE_HEAT_SIDES]; // those rounds
};

// Whether an entry takes some problems only. It is measured on those, and compared with nobody by a mean.
static inline bool tune_stage_is_partial(const struct tune_stage *stage, size_t entry) {
    return stage->unsupported_counts[entry] > 0;
}

// Builds what can be built, and checks all of it on the suite. What fails is out, as is what takes no
// problem. Errors: of the baseline's build and check, and of the machine.
int tune_stage_open(struct tune *tune, struct tune_stage *stage, struct err *err);
int tune_stage_close(struct tune_stage *stage, struct err *err); // accepts a zeroed one
// Measures all rounds below up_to; sides that are found wrong are out.
int tune_stage_measure(struct tune *tune, struct tune_stage *stage, uint32_t up_to, struct err *err);
// Is measured no more.
void tune_stage_remove(struct tune_stage *stage, size_t entry);
// Rounds in which every problem of every side that is left, and takes it, has a valid measurement.
uint32_t tune_stage_rounds(const struct tune_stage *stage);
// ln(entry / baseline) of all problems, x[problem * round_count + round], of the first rounds; NAN of those
// that the entry does not take. -1: no memory, or fewer rounds.
int tune_stage_get(const struct tune_stage *stage, size_t entry, uint32_t round_count, double *ret_x);

#endif
