// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule on a result: every problem's rounds by rounds_rule.h, with the family under control. Asked after every
// look while a gate runs (which problems are still open?) and once more at the end; it may be asked as often as wanted and
// gives the same answer for the same rounds.
//
// Which rounds of a problem count is a matter of the device's state alone: valid, with samples of both sides; of several
// attempts at a round the first valid one. A round that was repeated ROUNDS_REPEAT_MAX times and never was valid makes its
// problem VERDICT_NOT_VALID, unless the rounds before it had decided.
#ifndef VERDICT_ROUNDS_H
#define VERDICT_ROUNDS_H

#include "base/arena.h"
#include "base/err.h"
#include "record/decision.h"
#include "record/result.h"
#include "verdict/rounds_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROUNDS_REPEAT_MAX 3 // repetitions of a round that was not valid

// Fills cases, Holm's p, counts, means and notes; verdict over the family and exit code are gate_rule_apply()'s. Figures
// of a case are those of the look that decided it, else of all its rounds; its times are geometric means of the round
// medians, so that their ratio is the estimate. options->family_count 0: as many as the result has problems. A case that
// needs more rounds has VERDICT_NONE with REASON_TOO_FEW_ROUNDS (never when options->is_final). ERR_INTERNAL: no memory.
struct rounds_sides {
    uint32_t base, cand; // indices in the result
};
int verdict_rounds(const struct result *result, struct rounds_sides sides,
                   const struct rounds_options *options, struct arena *arena, struct decision *ret,
                   struct err *err);

bool rounds_case_is_open(const struct decision_case *item); // go on with this problem
size_t rounds_open_count(const struct decision *decision);

// Rounds of a problem that count, in order of their numbers: medians of each side. The caller frees both arrays.
struct round_medians {
    size_t round_count;
    size_t invalid_count;          // attempts that do not count
    size_t base_count, cand_count; // samples behind them
    double *base_ns, *cand_ns;
    bool is_exhausted;             // a round was repeated to the limit and never valid
    size_t count_before_exhausted; // rounds that count before the first such one
    const char *invalid_reason;    // of the last attempt that does not count; borrowed
    enum reason invalid_cause;     // the same as a reason: throttled, clocks apart, busy; NONE: all count
    // Standard deviation of d_r that the samples within the rounds alone explain (as a logarithm): medians of n samples
    // scatter by 1.2533 sigma / sqrt(n), sigma from the quartiles. NAN: no rounds.
    double within_sd;
    size_t samples_a_round; // of the side with fewer, on average
};
int round_medians_get(const struct result_case *item, uint32_t base_side, uint32_t cand_side,
                      struct round_medians *ret); // -1: no memory
void round_medians_fini(struct round_medians *medians);
// What the device's state says of a round that does not count: throttled, clocks apart, else busy.
enum reason rounds_invalid_cause(const struct result_round *round);

#endif
