// SPDX-License-Identifier: Apache-2.0
//
// One case while it is timed, and what is done about its sides when the samples are taken: the closing check,
// and finding out which side is to blame.
#ifndef WORKER_ORDER_WORK_TIMING_INTERNAL_H
#define WORKER_ORDER_WORK_TIMING_INTERNAL_H

#include "worker/measure/sampler.h"
#include "worker/order/work_sets.h"

// The sides that are right, in the order's order.
struct timing {
    struct work *work;
    struct case_run *run;
    struct work_sets sets;
    struct sampler sampler;
    uint32_t sides[WORK_SIDES_MAX]; // the order's number of each sampler side
    size_t turn;                    // of keep_busy
    uint32_t busy_launches;         // of keep_busy
    bool has_failed;                // a launch of keep_busy
    uint32_t fresh_count;           // data drawn that no launch has seen
    size_t last[WORK_SETS_MAX];     // sampler side whose sample used a set last; SIZE_MAX: none
    struct check_result *wrong;     // filled when a side turns out wrong
    // Why the samples cannot be used though no side is known to be wrong; "": they can.
    char spoilt[512];
};

// A seed whose data no launch has seen, in this worker or another of the run.
uint64_t timing_fresh_seed(struct timing *timing);

// The side went wrong while it was timed (timing->wrong, or the sampler's message): its CHECK says so instead
// of the one that was kept back.
void timing_reject(struct timing *timing, size_t side);

// The same for a finding that another side may be to blame for: memory that all sides share is renewed and
// every side runs alone. When none goes wrong then, timing->spoilt says why the samples cannot be used, and
// no side is rejected.
int timing_reject_culprit(struct timing *timing, size_t side, struct err *err);

// After the last sample: what the samples left; launches on known and on fresh data must take similar times;
// and every side once more on poisoned outputs, the way it was timed. Sides that are wrong are rejected.
int timing_verify_after(struct timing *timing, struct err *err);

#endif
