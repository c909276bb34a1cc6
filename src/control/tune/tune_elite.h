// SPDX-License-Identifier: Apache-2.0
//
// Who enters the elite, from rounds in fresh processes that took no part in the race. The first rounds
// decide; the gain that is claimed comes from the others alone, so that what made a variant win is not what
// is claimed of it.
#ifndef CONTROL_TUNE_TUNE_ELITE_H
#define CONTROL_TUNE_TUNE_ELITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

#define TUNE_ELITE_MAX        3
#define TUNE_GAIN_LEAST_PCT   3.0 // a variant that gains less is dropped ...
#define TUNE_SLOWER_LEAST     2   // ... as is one that is slower on that many problems
#define TUNE_FINAL_ROUNDS     10  // the default: that many decide, and as many again are claimed from
#define TUNE_FINAL_ROUNDS_MIN 3

enum tune_judgement {
    TUNE_JUDGED_NONE = 0,
    TUNE_JUDGED_IN,
    TUNE_JUDGED_SMALL,    // gains under 3 %
    TUNE_JUDGED_UNPROVEN, // the 95 % interval of its gain reaches no gain
    TUNE_JUDGED_SLOWER,   // slower on two problems or more
    TUNE_JUDGED_COUNT
};

// One variant beside the baseline: ln(variant / baseline) of each problem in each round, x[problem *
// round_count + round]; NAN of a problem that it does not take.
struct tune_final {
    size_t problem_count;
    uint32_t round_count, decide_count; // rounds in all; the first of them decide
    const double *x;
};

struct tune_claim {
    enum tune_judgement judgement;
    double log_ratio;    // geometric mean over the problems, of the deciding rounds
    size_t slower_count; // problems whose 95 % interval lies above 0, of the deciding rounds
    // Speed-ups, baseline / variant, of the other rounds: what is claimed, with its 95 % interval.
    double speedup;
    struct interval speedup_interval;
};

// The best of several for one problem: candidates[0], which takes all problems, unless another is shown to be
// faster in the deciding rounds (95 %). Returns its place; count: the baseline. *ret_speedup: of the other
// rounds.
size_t tune_final_choose(const struct tune_final *candidates, size_t count, size_t problem,
                         double *ret_speedup);

// round_count >= decide_count + 2, decide_count >= 2.
struct tune_claim tune_final_judge(const struct tune_final *finals);

#endif
