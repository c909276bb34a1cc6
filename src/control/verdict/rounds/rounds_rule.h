// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule for one problem: a median of each side from every round, and one of regression,
// improvement, maintained, undecidable, or "go on". Pure: numbers in, finding out. Rounds of a result file
// are control/verdict/rounds/rounds.h's.
//
// d_r = ln(median candidate / median baseline) of round r, positive is slower. Looks at 5, 10, 15 and 20
// rounds, each with 0.0182 two-sided (Pocock's constant for four looks: together about 5 %; it is exact for a
// known spread, with Student's t 5.4 % of normal rounds are outside at one of the looks or more). The finding
// of the first look that decides stands, whatever rounds were measured after it: look k sees the first 5 k
// rounds only, so the rule gives the same answer however often it is asked.
//
// A regression or an improvement is called only if chance cannot explain it: with p one-sided against no
// change and L looks, L p is at most ROUNDS_PROBLEM_FALSE_RATIO and L p times the problems of the family at
// most ROUNDS_FAMILY_FALSE_RATIO. By Bonferroni over looks and problems both rates hold for normal rounds
// of any spread.
#ifndef CONTROL_VERDICT_ROUNDS_ROUNDS_RULE_H
#define CONTROL_VERDICT_ROUNDS_ROUNDS_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/decision.h"
#include "record/gate_spec.h"
#include "stats/interval.h"
#include "stats/round_stats.h"

#define ROUNDS_LOOK_STEP           5 // rounds between two looks
#define ROUNDS_LOOK_COUNT          4 // at 5, 10, 15, 20
#define ROUNDS_MAX                 (ROUNDS_LOOK_STEP * ROUNDS_LOOK_COUNT)
#define ROUNDS_LOOK_ALPHA          0.0182 // two-sided, each look
#define ROUNDS_FIXED_ALPHA         0.05  // a fixed number of rounds: 95 % interval, and 90 % for "maintained"
#define ROUNDS_HALF_WIDTH_PCT      2.0   // wider, and neither regression nor improvement: undecidable
#define ROUNDS_PROBLEM_FALSE_RATIO 0.001 // false-positive rate of one unchanged problem
#define ROUNDS_FAMILY_FALSE_RATIO  0.02  // family-wise false-positive rate
#define ROUNDS_EFFECT_MAX          (-0.3) // Cliff's delta of the round medians that an improvement needs
#define ROUNDS_CROSS_FROM          6      // rounds from which the cross-check has an answer
#define ROUNDS_REPEAT_MAX          3      // repetitions of a round that was not valid

struct rounds_options {
    // expects_improvement: a faster candidate is not settled as maintained before the last look
    struct gate_spec spec;
    size_t fixed_round_count; // 0: looks. Else one decision at that many rounds (5 or more), never before
    bool is_final;            // no more rounds come: what is still open is undecidable
    bool is_out_of_time;      // and that is because the run's time was over: for the sentence
    size_t family_count;      // problems decided together; 0: 1 here, all of the result in verdict_rounds()
};
struct rounds_options rounds_options_default(void);

// What a look saw.
struct rounds_finding {
    enum verdict verdict; // VERDICT_NONE: go on
    enum reason reason;
    size_t look_count; // rounds that were looked at
    double alpha;      // two-sided, of the interval
    struct round_stats stats;
    struct interval interval; // of the log ratio, at 1 - alpha
    double cliffs_delta;      // of the 2 R round medians
    // False-positive rates of this finding over all looks: of one unchanged problem (L p) and of the family
    // (L p times its size), both at most 1. 0 when the rounds show no change that could be called.
    double problem_p, family_p;
};

// base_ns[r], cand_ns[r]: medians of round r, finite and positive, in order of rounds. Fewer than
// ROUNDS_LOOK_STEP rounds decide nothing. -1: no memory, or a median that is not finite and positive.
int rounds_find(const double *base_ns, const double *cand_ns, size_t round_count,
                const struct rounds_options *options, struct rounds_finding *ret);

// The one-sided p below which a look calls a regression or an improvement, by both ratios above.
double rounds_call_p(size_t look_count, size_t family_count);

// ---- how many rounds would decide ----

#define ROUNDS_NEEDED_POWER 0.9

// A gate without --rounds N looks up to four times (ROUNDS_LOOK_ALPHA each) and has ROUNDS_MAX rounds at
// most; more can only be a fixed number. A fixed number of any size decides once (ROUNDS_FIXED_ALPHA). The
// functions named _fixed are about the second, the others about the first.

// Two-sided level at which that number of rounds decides: a look's up to ROUNDS_MAX, above that a fixed
// number's.
double rounds_needed_alpha(size_t round_count);

// The smallest R in [ROUNDS_LOOK_STEP, ROUNDS_LIMIT] at which a change of regression_pct is told from none
// with 90 % power (so that an unchanged kernel is proved unchanged within it; a slowdown of just that is
// called a regression in about half of the gates) and the interval's half width is at most
// ROUNDS_HALF_WIDTH_PCT. sd: of d_r = ln(candidate / baseline) between rounds, as a logarithm (not per cent).
// 0: not even with ROUNDS_LIMIT, or arguments that are not finite and in their domain.
uint32_t rounds_needed(double sd, double regression_pct);
uint32_t rounds_needed_fixed(double sd, double regression_pct); // what --rounds should say

// The smallest R in [ROUNDS_LOOK_STEP, ROUNDS_LIMIT] that tells a change from a threshold above it and so far
// away with 90 % power, by the upper end of the fixed number's 90 % interval. distance: of their logarithms,
// positive. 0: none, or not in the domain.
uint32_t rounds_needed_apart(double sd, double distance);

// The smallest R in [2 ROUNDS_LOOK_STEP, ROUNDS_LIMIT] as a fixed number that calls a slowdown of that
// logarithm a regression with 90 % power: its mean beyond the threshold, and its p no chance in the family
// (rounds_rule.h). distance: of the logarithms of the slowdown and of the threshold below it, positive. 0:
// none, or not in the domain.
uint32_t rounds_needed_call(double sd, double slowdown, double distance, size_t family_count);

// The smallest change in per cent that R >= 2 rounds of this spread tell from none with 90 % power; NAN
// outside the domain.
double rounds_needed_detectable_pct(double sd, size_t round_count);
double rounds_needed_detectable_fixed_pct(double sd, size_t round_count);

#endif
