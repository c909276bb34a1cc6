// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule on a result: every problem's rounds by rounds_rule.h, with the family under control. Asked
// after every look while a gate runs (which problems are still open?) and once more at the end; it may be
// asked as often as wanted and gives the same answer for the same rounds.
//
// Which rounds of a problem count is a matter of the device's state alone: valid, with samples of both sides;
// of several attempts at a round the first valid one. A round that was repeated ROUNDS_REPEAT_MAX times and
// never was valid makes its problem VERDICT_NOT_VALID, unless the rounds before it had decided.
#ifndef CONTROL_VERDICT_ROUNDS_ROUNDS_H
#define CONTROL_VERDICT_ROUNDS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "control/verdict/rounds/rounds_rule.h"
#include "record/decision.h"
#include "record/result.h"

struct rounds_sides {
    uint32_t base, cand; // indices in the result
};

// Fills cases, Holm's p, counts, means and notes; verdict over the family and exit code are
// gate_rule_apply()'s. Figures of a case are those of the look that decided it, else of all its rounds; its
// times are geometric means of the round medians, so that their ratio is the estimate. options->family_count
// 0: as many as the result has problems. A case that needs more rounds has VERDICT_NONE with
// REASON_TOO_FEW_ROUNDS (never when options->is_final). ERR_INTERNAL: no memory.
int verdict_rounds(const struct result *result, struct rounds_sides sides,
                   const struct rounds_options *options, struct arena *arena, struct decision *ret,
                   struct err *err);

bool rounds_case_is_open(const struct decision_case *item); // go on with this problem
size_t rounds_open_count(const struct decision *decision);

#endif
