// SPDX-License-Identifier: Apache-2.0
//
// The judge's clock beside the one of a kernel's process: whether a sample counts by both, and whether a
// process times itself falsely. Numbers in, answers out; sampler.c takes the samples.
#ifndef WORKER_MEASURE_JUDGE_CLOCK_H
#define WORKER_MEASURE_JUDGE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "record/samples.h"
#include "worker/backend/backend.h"

// Whether both clocks agree within what an exchange between the processes varies by, or there is one clock.
bool judge_clock_confirms(const struct batch_time *time);
// Why a batch with this timing would not count as a sample; DISCARD_NONE: it would.
enum discard judge_clock_discard(const struct batch_time *time);

// Samples of a side that the judge timed as well.
struct judged_samples {
    bool is_clock_coarse; // its clock includes work that is none of a sample: no falsehood follows
    size_t count;
    size_t false_count; // of these, far longer than their process says
};
// Counts one, unless the clocks differ and one of both waited for a processor: then they do for another
// reason.
void judge_clock_count(struct judged_samples *side, const struct batch_time *time, enum discard discard);
// The side whose process times itself falsely; false: none does, or too little is known. A busy machine holds
// up the answers of every side, so it must be alone in it.
bool judge_clock_find_false(const struct judged_samples *const *sides, size_t count, size_t *ret);

#endif
