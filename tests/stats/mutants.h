// SPDX-License-Identifier: Apache-2.0
//
// Rules that are wrong in one way each, as people write them: each must break a promise that the real one
// keeps, or the test of that promise holds nothing.
#ifndef TESTS_STATS_MUTANTS_H
#define TESTS_STATS_MUTANTS_H

#include "stats/simulate.h"

struct rule
mutant_pooled(void); // all samples of all rounds in one heap, judged by the classic rule at each look
struct rule
mutant_single_run(void);          // the classic rule on the first round alone: two runs, as compare sees them
struct rule mutant_swapped(void); // candidate and baseline exchanged
struct rule mutant_level_5pct(void); // 0.05 at each look in place of 0.0182
struct rule
mutant_no_family(void); // what an interval shows is called, however many looks and problems there are
struct rule mutant_no_threshold(void); // the same, and any slowdown that an interval shows is a regression
struct rule mutant_loose(void);        // 4 % in place of 3 %
struct rule mutant_five_rounds(void);  // no second look: five rounds, and what is open then is undecidable
struct rule mutant_percentile(void);   // percentile bootstrap over the rounds in place of Student's t
struct rule mutant_accepting(void);    // what is no regression at the first look is maintained

#endif
