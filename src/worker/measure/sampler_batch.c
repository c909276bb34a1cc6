// SPDX-License-Identifier: Apache-2.0
//
// What surrounds a batch of a sampler's side, whatever it is for.
#include <stdio.h>

#include "worker/measure/sampler.h"
#include "worker/measure/sampler_internal.h"

void sampler_fail(struct sampler *sampler, size_t side, enum sampler_failure_kind kind) {
    sampler->failure.kind = kind;
    sampler->failure.side = side;
}

void sampler_fail_launch(struct sampler *sampler, size_t side, int status, const char *text) {
    sampler_fail(sampler, side, SAMPLER_FAILURE_LAUNCH);
    snprintf(sampler->failure.message, sizeof sampler->failure.message,
             "a timed launch returned status %d%s%s", status, *text ? ": " : "", text);
}

void sampler_pause(const struct sampler *sampler, size_t index) {
    if (sampler->on_pause) sampler->on_pause(sampler->arg, index);
}

int sampler_end_batch(struct sampler *sampler, sampler_end_fn *end, size_t index, const struct batch *batch,
                      struct err *err) {
    const int code = end(sampler->arg, index, batch, err);
    TRY(code);
    if (code == SAMPLE_WRONG) sampler_fail(sampler, index, SAMPLER_FAILURE_RESULT);
    return 0;
}
