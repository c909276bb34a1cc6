// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule for one problem: takes one ratio and a median of each side from every round, and returns
// regression, improvement, maintained, undecidable, or "go on". Pure: numbers in, finding out.
// verdict/rounds/rounds.h applies it to result files.
//
// d_r is the median of ln(candidate / baseline) over the pairs of round r, positive is slower. Looks at 5,
// 10, 15 and 20 rounds, each at 0.0182 two-sided: Pocock's constant for four looks, about 5 % together. That
// is exact for a known spread; with Student's t, 5.4 % of normal series of rounds are outside at one look or
// more. The finding of the first look that decides stands, whatever rounds were measured after it: look k
// uses the first 5 k rounds only, so the rule gives the same answer however often it is called.
//
// A regression or an improvement is called when the estimate lies beyond its threshold and the interval
// beyond a part of it, so that a call says by how much at least. It is called from ROUNDS_CALL_FROM rounds
// on: whatever their distribution, five rounds of an unchanged kernel agree by chance with probability 2^-5,
// ten with 2^-10. Only an interval that lies beyond ROUNDS_EARLY_PCT as a whole is called sooner.
//
// An improvement's own 95 % interval lies beyond the threshold as a whole, too. If processes of the candidate
// are late now and then, and never early, ten rounds without a late one look faster and less spread than they
// are, and 9 % was accepted for 10 % in 14 of 100 suites of ten. That the Hodges-Lehmann estimate lies beyond
// the threshold changes nothing there: it is robust against the rounds that are late, not their absence.
//
// Where something says that rounds depend on each other (has_signs), a look before the last calls nothing
// short of ROUNDS_EARLY_PCT: with more rounds the dependence shows, and false calls become fewer.
//
// And chance must be excluded. With p one-sided against no change and L looks, L p must be at most
// ROUNDS_PROBLEM_FALSE_RATIO, and L p times the number of problems in the family at most
// ROUNDS_FAMILY_FALSE_RATIO. By Bonferroni over looks and problems, both rates hold for normal rounds of any
// spread. Where an improvement is expected of any problem of a suite, its interval is Bonferroni's, too.
#ifndef VERDICT_ROUNDS_ROUNDS_RULE_H
#define VERDICT_ROUNDS_ROUNDS_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/decision.h"
#include "record/gate_spec.h"
#include "stats/interval.h"
#include "stats/round_stats.h"

#define ROUNDS_LOOK_STEP  5 // rounds between two looks
#define ROUNDS_LOOK_COUNT 4 // at 5, 10, 15, 20
#define ROUNDS_FIRST_LOOK 3 // one more look, where it is asked for
#define ROUNDS_LOOKS_MAX  (ROUNDS_LOOK_COUNT + 1)
#define ROUNDS_MAX        (ROUNDS_LOOK_STEP * ROUNDS_LOOK_COUNT)
#define ROUNDS_LOOK_ALPHA 0.0182 // two-sided, each look
// The same of a gate that looks after 3 rounds already, at 3 and at each later look: of 40 000 problems that
// are exactly 3 % slower 5.3 % are maintained, as without it.
#define ROUNDS_FIRST_LOOK_ALPHA    0.0158
#define ROUNDS_LATER_LOOK_ALPHA    0.0145
#define ROUNDS_CALL_FROM           10    // fewer call nothing but what is beyond
#define ROUNDS_EARLY_PCT           25.0  // that
#define ROUNDS_SLOWER_SHARE        0.75  // of the threshold, that the interval of a regression lies beyond
#define ROUNDS_FASTER_SHARE        0.9   // of the gain, that the interval of an improvement lies beyond
#define ROUNDS_FASTER_ALPHA        0.05  // two-sided, of the interval that lies beyond all of the gain
#define ROUNDS_FIXED_ALPHA         0.05  // a fixed number of rounds: 95 % interval, and 90 % for "maintained"
#define ROUNDS_HALF_WIDTH_PCT      2.0   // if wider, and neither regression nor improvement: undecidable
#define ROUNDS_PROBLEM_FALSE_RATIO 0.001 // false-positive rate of one unchanged problem
#define ROUNDS_FAMILY_FALSE_RATIO  0.02  // family-wise false-positive rate
#define ROUNDS_EFFECT_MAX          (-0.3) // Cliff's delta of the round medians that an improvement needs
#define ROUNDS_CROSS_FROM          6      // fewer rounds: no cross-check

struct rounds_evidence;

struct rounds_options {
    // expects_improvement: a faster candidate is not called maintained before the last look
    struct gate_spec spec;
    size_t fixed_round_count; // 0: looks. Else one decision at that many rounds (5 or more), never before
    bool looks_at_three; // looks only: the first one is at ROUNDS_FIRST_LOOK, and may find no change there
    bool has_signs[ROUNDS_LOOKS_MAX]; // at each look: rounds may depend on each other (rounds_dependence.h)
    bool is_counted;     // the rounds are counts of instructions: every one of them has to say the same
    bool is_final;       // no more rounds will come: what is open is undecidable
    bool is_ended_early; // others left too few samples for long: no more is measured; for the sentence
    bool is_out_of_time; // the reason is that the run's time is over; for the sentence
    size_t family_count; // problems decided together; 0: 1 here, all of the result in verdict_rounds()
    const struct rounds_evidence *earlier; // for verdict_rounds(), which sets has_signs; NULL: none
};
struct rounds_options rounds_options_default(void);

// When a gate looks.
struct rounds_looks {
    size_t count;
    size_t rounds[ROUNDS_LOOKS_MAX];
    double alpha[ROUNDS_LOOKS_MAX]; // two-sided
};
struct rounds_looks rounds_looks_of(const struct rounds_options *options);

// The result of one look.
struct rounds_finding {
    enum verdict verdict; // VERDICT_NONE: go on
    enum reason reason;
    size_t look_count; // rounds that were looked at
    double alpha;      // two-sided, of the interval
    struct round_stats stats;
    struct interval interval; // of the log ratio, at 1 - alpha
    double cliffs_delta;      // of the 2 R round medians
    // False-positive rates of this finding over all looks: for one unchanged problem (L p) and for the family
    // (L p times its size), both at most 1. 0 if the rounds show no change that could be called.
    double problem_p, family_p;
};

// Rounds in their order. base_ns[r], cand_ns[r]: medians of each side, finite and positive. log_ratios[r]:
// d_r; NULL: the logarithm of their ratio.
struct rounds_pairs {
    const double *base_ns, *cand_ns, *log_ratios;
};

// Fewer than ROUNDS_LOOK_STEP rounds decide nothing. judge: the same rounds by the judge's clock, when the
// sides ran in processes of their own; NULL: there is one clock. An improvement, or a candidate that is no
// slower, then stands only if the judge's clock alone says so at that look. -1: no memory, or a median that
// is not finite and positive.
int rounds_find(const struct rounds_pairs *pairs, const struct rounds_pairs *judge, size_t round_count,
                const struct rounds_options *options, struct rounds_finding *ret);

// The one-sided p below which a look calls a regression or an improvement: both ratios above hold.
double rounds_call_p(size_t look_count, size_t family_count);

// ---- how many rounds would decide ----

#define ROUNDS_NEEDED_POWER 0.9

// A gate without --rounds N looks up to four times (ROUNDS_LOOK_ALPHA each) and has ROUNDS_MAX rounds at
// most. With --rounds N, any number, it decides once (ROUNDS_FIXED_ALPHA); more than ROUNDS_MAX rounds are
// possible only so. Functions named _fixed are about gates with --rounds N, the others about gates without.

// The two-sided level at which a gate decides after round_count rounds: a look's up to ROUNDS_MAX, above it
// that of a fixed number.
double rounds_needed_alpha(size_t round_count);

// The smallest R in [ROUNDS_LOOK_STEP, ROUNDS_LIMIT] that detects a change of regression_pct with 90 % power
// and makes the interval's half width at most ROUNDS_HALF_WIDTH_PCT. With as many rounds an unchanged kernel
// is proved unchanged within regression_pct; a slowdown of just that is called a regression in about half of
// the gates. sd: of d_r = ln(candidate / baseline) between rounds, as a logarithm (not per cent). 0:
// ROUNDS_LIMIT is not enough, or arguments are not finite and in their domain.
uint32_t rounds_needed(double sd, double regression_pct);
uint32_t rounds_needed_fixed(double sd, double regression_pct); // the N to give to --rounds

// The smallest R in [ROUNDS_LOOK_STEP, ROUNDS_LIMIT] that, with 90 % power, proves a change to be below a
// threshold, by the upper end of the fixed number's 90 % interval. distance: logarithm of the threshold minus
// that of the change, positive. 0: none, or arguments not in their domain.
uint32_t rounds_needed_apart(double sd, double distance);

// The smallest R in [ROUNDS_CALL_FROM, ROUNDS_LIMIT], as a fixed number, that calls a slowdown a regression
// with 90 % power: its mean is beyond the threshold, its interval beyond ROUNDS_SLOWER_SHARE of it, and its p
// excludes chance in the family. slowdown: its logarithm, above that of the threshold. 0: none, or arguments
// not in their domain.
uint32_t rounds_needed_call(double sd, double slowdown, double regression_pct, size_t family_count);

// The smallest change in per cent that R >= 2 rounds of this spread detect with 90 % power; NAN outside the
// domain.
double rounds_needed_detectable_pct(double sd, size_t round_count);
double rounds_needed_detectable_fixed_pct(double sd, size_t round_count);

#endif
