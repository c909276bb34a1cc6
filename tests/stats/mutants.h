// SPDX-License-Identifier: Apache-2.0
//
// Mutants of the decision rule, each wrong in one way that people do write. Each must break a promise that
// the real rule keeps; otherwise the test of that promise tests nothing.
#ifndef TESTS_STATS_MUTANTS_H
#define TESTS_STATS_MUTANTS_H

#include "stats/simulate.h"

struct rule mutant_pooled(void); // pools the samples of all rounds and applies the classic rule at each look
struct rule
mutant_single_run(void);          // the classic rule on the first round alone: two runs, as compare sees them
struct rule mutant_swapped(void); // candidate and baseline exchanged
struct rule mutant_level_5pct(void); // 0.05 at each look in place of 0.0182
struct rule
mutant_no_family(void); // calls what one interval shows, without correction for looks and problems
struct rule mutant_no_threshold(void); // the same, and any slowdown that an interval shows is a regression
struct rule mutant_early(void);        // calls at the first look what it calls at the second
struct rule mutant_estimate(void);     // the estimate beyond the threshold, the interval beyond 0
struct rule mutant_medians(void);      // the ratio of the sides' medians in place of the median over pairs
struct rule mutant_own_claims(void);   // an improvement of any problem at the level of one
struct rule mutant_gain_by_estimate(void); // an improvement whose own interval reaches over the threshold
struct rule mutant_loose(void);            // 4 % in place of 3 %
struct rule mutant_five_rounds(void);      // no second look: after five rounds open problems are undecidable
struct rule mutant_percentile(void);       // percentile bootstrap over the rounds in place of Student's t
struct rule mutant_accepting(void);        // calls maintained whatever is no regression at the first look

#endif
