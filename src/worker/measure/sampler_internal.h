// SPDX-License-Identifier: Apache-2.0
//
// One batch of a sampler's side: shared by the samples (sampler.c) and the single calls (sampler_calls.c).
#ifndef WORKER_MEASURE_SAMPLER_INTERNAL_H
#define WORKER_MEASURE_SAMPLER_INTERNAL_H

#include "worker/measure/sampler.h"

// The caller's pause before the next batch of that side.
void sampler_pause(const struct sampler *sampler, size_t index);
// False: a launch failed, and failure is set.
bool sampler_run_batch(struct sampler *sampler, size_t index, struct batch batch, struct batch_time *ret);
void sampler_fail_launch(struct sampler *sampler, size_t side, int status, const char *text);

#endif
