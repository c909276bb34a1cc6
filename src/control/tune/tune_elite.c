// SPDX-License-Identifier: Apache-2.0
//
// See tune_elite.h.
#include "control/tune/tune_elite.h"

#include <math.h>

#include "stats/round_stats.h"

#define ALPHA      0.05
#define ROUNDS_MAX 1024

// Mean over the problems in a round.
static double round_mean(const struct tune_final *finals, uint32_t round) {
    double sum = 0;
    for (size_t p = 0; p < finals->problem_count; ++p) sum += finals->x[p * finals->round_count + round];
    return sum / (double)finals->problem_count;
}

static struct round_stats describe(const double *d, uint32_t count) {
    struct round_stats ret = {.mean = NAN, .sd = NAN, .se = NAN};
    (void)round_stats_get(d, count, &ret); // what cannot be described stays NAN, and proves nothing
    return ret;
}

static struct round_stats describe_suite(const struct tune_final *finals, uint32_t from, uint32_t to) {
    double d[ROUNDS_MAX];
    for (uint32_t r = from; r < to; ++r) d[r - from] = round_mean(finals, r);
    return describe(d, to - from);
}

// Whether the problem is shown to be slower in the deciding rounds.
static bool is_slower(const struct tune_final *finals, size_t problem) {
    const struct round_stats stats =
        describe(finals->x + problem * finals->round_count, finals->decide_count);
    return round_stats_interval(&stats, ALPHA).lo > 0;
}

// Mean and upper end of the 95 % interval of ln(a / b) on a problem in the deciding rounds; a NULL: the
// baseline.
static struct round_stats compare(const struct tune_final *a, const struct tune_final *b, size_t problem,
                                  double *ret_high) {
    double d[ROUNDS_MAX];
    const size_t at = problem * b->round_count;
    for (uint32_t r = 0; r < b->decide_count; ++r) d[r] = (a ? a->x[at + r] : 0) - b->x[at + r];
    const struct round_stats stats = describe(d, b->decide_count);
    *ret_high = round_stats_interval(&stats, ALPHA).hi;
    return stats;
}

size_t tune_final_choose(const struct tune_final *candidates, size_t count, size_t problem,
                         double *ret_speedup) {
    const struct tune_final *first = &candidates[0];
    size_t best = 0;
    double best_mean = 0, sum = 0;
    for (size_t i = 1; i <= count; ++i) {
        double high;
        const struct round_stats stats = compare(i < count ? &candidates[i] : NULL, first, problem, &high);
        if (!(high < 0) || !(stats.mean < best_mean)) continue;
        best = i;
        best_mean = stats.mean;
    }
    for (uint32_t r = first->decide_count; r < first->round_count && best < count; ++r)
        sum += candidates[best].x[problem * first->round_count + r];
    *ret_speedup = exp(-sum / (first->round_count - first->decide_count));
    return best;
}

struct tune_claim tune_final_judge(const struct tune_final *finals) {
    const struct round_stats decides = describe_suite(finals, 0, finals->decide_count);
    const struct round_stats claimed = describe_suite(finals, finals->decide_count, finals->round_count);
    const struct interval proof = round_stats_interval(&decides, ALPHA);
    const struct interval range = round_stats_interval(&claimed, ALPHA);
    struct tune_claim ret = {.log_ratio = decides.mean, .speedup = exp(-claimed.mean)};
    ret.speedup_interval = (struct interval){exp(-range.hi), exp(-range.lo)};
    for (size_t p = 0; p < finals->problem_count; ++p) ret.slower_count += is_slower(finals, p);
    if (ret.slower_count >= TUNE_SLOWER_LEAST)
        ret.judgement = TUNE_JUDGED_SLOWER;
    else if (!(exp(-decides.mean) >= 1 + TUNE_GAIN_LEAST_PCT / 100))
        ret.judgement = TUNE_JUDGED_SMALL;
    else if (!(proof.hi < 0))
        ret.judgement = TUNE_JUDGED_UNPROVEN;
    else
        ret.judgement = TUNE_JUDGED_IN;
    return ret;
}
