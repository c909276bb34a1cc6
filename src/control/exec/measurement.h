// SPDX-License-Identifier: Apache-2.0
//
// One case of one round as its worker has reported it so far: samples of every side, and the state of the
// device over them. Kept in memory until it is complete, so that the journal gets all of it or nothing.
#ifndef CONTROL_EXEC_MEASUREMENT_H
#define CONTROL_EXEC_MEASUREMENT_H

#include "record/record.h"
#include "record/work_order.h"

struct measurement {
    struct arena arena;
    struct record samples[WORK_SIDES_MAX]; // kind INVALID: none; indexed by the plan's side
    struct record state;                   // kind INVALID: none
};

void measurement_clear(struct measurement *measurement);
// Copies a record of kind SAMPLES or CASE_STATE.
void measurement_add(struct measurement *measurement, const struct record *record);
bool measurement_is_complete(const struct measurement *measurement, uint32_t side_mask);
// Makes a valid measurement invalid if fewer than half of a side's samples count: half of those ordered, or
// of those timed if the case's time budget ended sooner.
void measurement_judge(struct measurement *measurement, uint32_t sample_count);
// Samples that count, of the side that has the fewest.
size_t measurement_clean_count(const struct measurement *measurement);
// Appends another measurement of the same case, made later by another worker: each side's samples follow
// those that are there, with shift_ns added to their times.
void measurement_append(struct measurement *measurement, const struct measurement *later, uint64_t shift_ns);

#endif
