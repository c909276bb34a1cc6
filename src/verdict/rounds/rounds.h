// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule on a result: applies rounds_rule.h to every problem, with family-wise control. Called after
// every look while a gate runs (which problems are still open?) and once more at the end. It may be called
// any number of times and gives the same answer for the same rounds.
//
// Which rounds of a problem count depends only on the device's state: a round must be valid and have samples
// of both sides; of several attempts at a round the first valid one counts. If a round was repeated
// ROUNDS_REPEAT_MAX times and never was valid, its problem is VERDICT_NOT_VALID, unless the rounds before it
// had decided.
#ifndef VERDICT_ROUNDS_ROUNDS_H
#define VERDICT_ROUNDS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/decision.h"
#include "record/result.h"
#include "verdict/rounds/rounds_rule.h"

struct rounds_sides {
    uint32_t base, cand; // indices in the result
};

// Fills cases, Holm's p, counts, means and notes; gate_rule_apply() sets the verdict over all problems and
// the exit code. Figures of a case are those of the look that decided it, else of all its rounds; its times
// are geometric means of the round medians, so that their ratio is the estimate. options->family_count 0: the
// number of problems in the result. A case that needs more rounds has VERDICT_NONE with REASON_TOO_FEW_ROUNDS
// (never when options->is_final). ERR_INTERNAL: no memory.
int verdict_rounds(const struct result *result, struct rounds_sides sides,
                   const struct rounds_options *options, struct arena *arena, struct decision *ret,
                   struct err *err);

bool rounds_case_is_open(const struct decision_case *item); // true: measure more rounds of this problem
size_t rounds_open_count(const struct decision *decision);

#endif
