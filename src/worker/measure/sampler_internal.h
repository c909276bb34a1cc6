// SPDX-License-Identifier: Apache-2.0
//
// One batch of a sampler's side: shared by what comes before the samples (sampler_prepare.c), the samples
// (sampler.c) and the single calls (sampler_calls.c).
#ifndef WORKER_MEASURE_SAMPLER_INTERNAL_H
#define WORKER_MEASURE_SAMPLER_INTERNAL_H

#include "worker/measure/sampler.h"

static inline bool sampler_has_failed(const struct sampler *sampler) {
    return sampler->failure.kind != SAMPLER_FAILURE_NONE;
}

// As the next sample of that side would be.
struct batch sampler_next_batch(const struct sampler *sampler, size_t index);
// Lets threads of that side sleep, if those of any side spin on: all sides are treated alike.
void sampler_settle(const struct sampler *sampler, size_t index);
// The caller's pause before the next batch of that side.
void sampler_pause(const struct sampler *sampler, size_t index);
// False: a launch failed, and failure is set.
bool sampler_run_batch(struct sampler *sampler, size_t index, struct batch batch, struct batch_time *ret);
// Sets failure, without a message.
void sampler_fail(struct sampler *sampler, size_t side, enum sampler_failure_kind kind);
void sampler_fail_launch(struct sampler *sampler, size_t side, int status, const char *text);
// Lets the caller look at what a batch has left, and sets failure when that is wrong.
int sampler_end_batch(struct sampler *sampler, sampler_end_fn *end, size_t index, const struct batch *batch,
                      struct err *err);
// After a sample that counts: sets failure when launches of that side's samples overlap (sampler_overlap.c).
int sampler_watch_overlap(struct sampler *sampler, size_t index, const struct batch_time *time,
                          struct err *err);
// After the last sample: sets doubt where that could not be said.
int sampler_end_watch(struct sampler *sampler, size_t index, struct err *err);

#endif
