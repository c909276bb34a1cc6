// SPDX-License-Identifier: Apache-2.0
//
// Attention with capped scores, right or without the cap.
#ifndef CAPPED_H
#define CAPPED_H

#define BROKEN_FEATURES "softcap"
#define BROKEN_PREPARE  capped_prepare
#include "broken.h"

static double cap; // of the problem that was prepared last; 0: none

static int capped_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                          size_t *workspace_bytes, struct assay_message *message) {
    cap = assay_scalar_get(problem->scalars, problem->scalar_count, "softcap", 0);
    return broken_prepare(problem, env, state, workspace_bytes, message);
}

// limit: 0: scores are not capped
static BROKEN_ALONE void capped_all(const struct broken *b, double limit) {
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = 0; row < b->seq_q; ++row)
                broken_row_of(b, batch, head, row, (struct broken_scores){broken_visible(b, row), limit},
                              broken_at(&b->o, batch, head, row));
}

#endif
