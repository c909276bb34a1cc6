// SPDX-License-Identifier: Apache-2.0
//
// The rule on the round medians of one problem, look by look; and how many rounds would decide, by bisection:
// the conditions for that only get easier with more rounds.
#include "verdict/rounds/rounds_rule.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/work_order.h"
#include "stats/float_order.h"
#include "stats/rank.h"
#include "stats/round_stats.h"
#include "stats/student_t.h"

struct rounds_options rounds_options_default(void) {
    return (struct rounds_options){.spec = gate_spec_default()};
}

struct rounds_looks rounds_looks_of(const struct rounds_options *options) {
    if (options->fixed_round_count)
        return (struct rounds_looks){
            .count = 1, .rounds = {options->fixed_round_count}, .alpha = {ROUNDS_FIXED_ALPHA}};
    struct rounds_looks ret = {.count = 0};
    if (options->looks_at_three) {
        ret.rounds[0] = ROUNDS_FIRST_LOOK;
        ret.alpha[ret.count++] = ROUNDS_FIRST_LOOK_ALPHA;
    }
    for (size_t k = 1; k <= ROUNDS_LOOK_COUNT; ++k) {
        ret.rounds[ret.count] = k * ROUNDS_LOOK_STEP;
        ret.alpha[ret.count++] = options->looks_at_three ? ROUNDS_LATER_LOOK_ALPHA : ROUNDS_LOOK_ALPHA;
    }
    return ret;
}

// Input that is the same at every look of one problem, and its error rates.
struct look_input {
    const double *log_ratios, *base_ns, *cand_ns;
    const struct rounds_options *options;
    size_t family_count, call_count; // call_count: looks that may call a change
};

// One look: which, and how it is taken.
struct look {
    size_t round_count;
    double alpha;
    bool is_last, has_signs;
};

// Of a change in per cent. Not log1p: 103 ns against 100 ns is a change of exactly 3 %, by the same division.
static double log_of_pct(double pct) {
    return log((100 + pct) / 100);
}

// The sums of a mean round otherwise than the threshold does; a change of exactly the threshold is within it.
#define ROUNDING 1e-12

static double slow_log(const struct rounds_options *options) {
    return log_of_pct(options->spec.regression_pct) + ROUNDING;
}

static double fast_log(const struct rounds_options *options) {
    return log_of_pct(-options->spec.improvement_pct) - ROUNDING;
}

// Cliff's delta of the round medians of both sides, up to this look: it is robust where the t test is not.
static int find_effect(const double *base_ns, const double *cand_ns, size_t count, double *ret_delta) {
    double *sorted = mem_try_array(2 * count, sizeof *sorted);
    struct rank_pairs pairs;
    if (!sorted) return -1;
    memcpy(sorted, base_ns, count * sizeof *sorted);
    memcpy(sorted + count, cand_ns, count * sizeof *sorted);
    float_order_sort(sorted, count);
    float_order_sort(sorted + count, count);
    int status = rank_count_pairs(sorted, count, sorted + count, count, &pairs);
    if (status == 0) *ret_delta = rank_cliffs_delta(&pairs);
    free(sorted);
    return status;
}

// Where the whole interval lies so far out, fewer rounds than ROUNDS_CALL_FROM are enough, but not
// ROUNDS_FIRST_LOOK.
static bool may_call(const struct rounds_finding *finding, const struct look *look) {
    const bool is_far = finding->interval.lo > log_of_pct(ROUNDS_EARLY_PCT) ||
                        finding->interval.hi < log_of_pct(-ROUNDS_EARLY_PCT);
    if (is_far) return look->round_count >= ROUNDS_LOOK_STEP;
    return look->round_count >= ROUNDS_CALL_FROM && (look->is_last || !look->has_signs);
}

static bool is_slower_proven(const struct rounds_finding *finding, const struct rounds_options *options) {
    return finding->stats.mean > slow_log(options) &&
           finding->interval.lo > log_of_pct(ROUNDS_SLOWER_SHARE * options->spec.regression_pct);
}

// Any problem of the family may carry a claim that one of them is faster: its interval is at alpha / family.
static bool is_faster_proven(const struct rounds_finding *finding, const struct look_input *input) {
    const struct gate_spec *spec = &input->options->spec;
    const double claims = spec->expects_improvement ? (double)input->family_count : 1;
    const double high =
                     finding->stats.mean + round_stats_half_width(&finding->stats, finding->alpha / claims),
                 own_high =
                     finding->stats.mean + round_stats_half_width(&finding->stats, ROUNDS_FASTER_ALPHA);
    return own_high < fast_log(input->options) &&
           high < log_of_pct(-ROUNDS_FASTER_SHARE * spec->improvement_pct) &&
           finding->cliffs_delta <= ROUNDS_EFFECT_MAX;
}

double rounds_call_p(size_t look_count, size_t family_count) {
    return fmin(ROUNDS_PROBLEM_FALSE_RATIO, ROUNDS_FAMILY_FALSE_RATIO / (double)family_count) /
           (double)look_count;
}

// A change is called only if the false-positive rate over all looks stays below the per-problem and the
// family-wise limit.
static bool is_significant(struct rounds_finding *finding, const struct look_input *input) {
    const double p = finding->stats.mean > 0 ? round_stats_p_above(&finding->stats, 0)
                                             : round_stats_p_below(&finding->stats, 0);
    const double calls = (double)input->call_count, family = (double)input->family_count;
    finding->problem_p = fmin(1, calls * p);
    finding->family_p = fmin(1, calls * family * p);
    return p <= rounds_call_p(input->call_count, input->family_count);
}

// Whether a slowdown of the threshold is excluded, one-sided at the look's alpha. For a fixed number of
// rounds this is the upper end of the 90 % interval, one-sided 5 %.
static bool is_not_slower_proven(const struct rounds_finding *look, const struct rounds_options *options) {
    double upper = look->stats.mean + round_stats_half_width(&look->stats, 2 * look->alpha);
    return upper < slow_log(options);
}

static bool is_narrow(const struct rounds_finding *look) {
    double half = (look->interval.hi - look->interval.lo) / 2;
    return log_to_pct(half) <= ROUNDS_HALF_WIDTH_PCT;
}

static void set_verdict(struct rounds_finding *look, enum verdict verdict, enum reason reason) {
    look->verdict = verdict;
    look->reason = reason;
}

// What may be called an improvement later is not called maintained now.
static bool may_improve(const struct rounds_finding *finding, const struct rounds_options *options) {
    return (options->spec.expects_improvement ? finding->interval.lo : finding->stats.mean) <
           fast_log(options);
}

static void judge_look(struct rounds_finding *finding, const struct look_input *input,
                       const struct look *look) {
    const struct rounds_options *options = input->options;
    const bool may = may_call(finding, look), is_slower = may && is_slower_proven(finding, options),
               is_faster = may && is_faster_proven(finding, input);
    set_verdict(finding, VERDICT_NONE, REASON_TOO_FEW_ROUNDS);
    if (is_slower && is_significant(finding, input)) {
        set_verdict(finding, VERDICT_REGRESSION, REASON_SLOWER_PROVEN);
    } else if (is_faster && is_significant(finding, input)) {
        set_verdict(finding, VERDICT_IMPROVEMENT, REASON_FASTER_PROVEN);
    } else if (is_not_slower_proven(finding, options) && is_narrow(finding)) {
        if (may_improve(finding, options) && !look->is_last) return;
        set_verdict(finding, VERDICT_MAINTAINED,
                    finding->interval.lo > 0   ? REASON_SLOWER_IN_BAND
                    : finding->interval.hi < 0 ? REASON_FASTER_IN_BAND
                                               : REASON_IN_BAND);
    } else if (look->is_last) {
        const bool is_noise = is_slower || !is_narrow(finding); // slower, but it may be chance
        set_verdict(finding, VERDICT_UNDECIDABLE, is_noise ? REASON_TOO_NOISY : REASON_SLOWER_UNPROVEN);
    }
}

// Where a buffer lies moves counts by less than that: it is not called a little faster.
#define PRINTED_AS_ZERO 0.0005

// Counts hardly vary, so what varies is not noise that a mean would remove: every round has to agree.
static void judge_counts(struct rounds_finding *look, const struct look_input *input) {
    double low = INFINITY, high = -INFINITY;
    for (size_t r = 0; r < look->look_count; ++r) {
        low = fmin(low, input->log_ratios[r]);
        high = fmax(high, input->log_ratios[r]);
    }
    look->interval = (struct interval){low, high};
    if (low > slow_log(input->options))
        set_verdict(look, VERDICT_REGRESSION, REASON_SLOWER_PROVEN);
    else if (high < fast_log(input->options))
        set_verdict(look, VERDICT_IMPROVEMENT, REASON_FASTER_PROVEN);
    else if (high <= slow_log(input->options))
        set_verdict(look, VERDICT_MAINTAINED,
                    low > PRINTED_AS_ZERO     ? REASON_SLOWER_IN_BAND
                    : high < -PRINTED_AS_ZERO ? REASON_FASTER_IN_BAND
                                              : REASON_IN_BAND);
    else
        set_verdict(look, VERDICT_UNDECIDABLE, REASON_SLOWER_UNPROVEN);
}

static int look_get(const struct look_input *input, const struct look *look, struct rounds_finding *ret) {
    const size_t count = look->round_count;
    *ret = (struct rounds_finding){.look_count = count,
                                   .alpha = look->alpha,
                                   .reason = REASON_TOO_FEW_ROUNDS,
                                   .stats = {.count = count, .mean = NAN, .sd = NAN, .se = NAN},
                                   .interval = {NAN, NAN},
                                   .cliffs_delta = NAN};
    if (count == 1) ret->stats.mean = input->log_ratios[0];
    if (count < 2) return 0;
    if (round_stats_get(input->log_ratios, count, &ret->stats) < 0) return -1;
    ret->interval = round_stats_interval(&ret->stats, look->alpha);
    return find_effect(input->base_ns, input->cand_ns, count, &ret->cliffs_delta);
}

// d_r of each round; caller frees. NULL: no memory, or a time that is none.
static double *log_ratios_of(const struct rounds_pairs *pairs, size_t round_count) {
    double *ratios = mem_try_array(round_count ? round_count : 1, sizeof *ratios);
    for (size_t r = 0; ratios && r < round_count; ++r) {
        const double log_ratio = log(pairs->cand_ns[r] / pairs->base_ns[r]);
        ratios[r] = pairs->log_ratios ? pairs->log_ratios[r] : log_ratio;
        if (isfinite(ratios[r]) && isfinite(log_ratio) && pairs->base_ns[r] > 0) continue;
        free(ratios);
        return NULL;
    }
    return ratios;
}

// Whether the judge's clock alone says what the finding says, or better. -1: no memory.
static int is_confirmed(const struct rounds_finding *finding, const struct look_input *judge,
                        const struct look *look) {
    struct rounds_finding own;
    if (look_get(judge, look, &own) < 0) return -1;
    judge_look(&own, judge, look);
    return own.verdict == VERDICT_IMPROVEMENT || own.verdict == finding->verdict;
}

static int take_look(const struct look_input *input, const struct look_input *judge, const struct look *look,
                     struct rounds_finding *ret) {
    if (look_get(input, look, ret) < 0) return -1;
    if (input->options->is_counted)
        judge_counts(ret, input);
    else
        judge_look(ret, input, look);
    const bool is_good = ret->verdict == VERDICT_IMPROVEMENT || ret->verdict == VERDICT_MAINTAINED;
    const int confirmed = judge->log_ratios && is_good ? is_confirmed(ret, judge, look) : 1;
    if (confirmed == 0)
        set_verdict(ret, look->is_last ? VERDICT_UNDECIDABLE : VERDICT_NONE,
                    look->is_last ? REASON_UNCONFIRMED : REASON_TOO_FEW_ROUNDS);
    return confirmed < 0 ? -1 : 0;
}

int rounds_find(const struct rounds_pairs *pairs, const struct rounds_pairs *judge, size_t round_count,
                const struct rounds_options *options, struct rounds_finding *ret) {
    int status = -1;
    struct rounds_finding finding = {0};
    double *log_ratios = log_ratios_of(pairs, round_count);
    double *judge_ratios = judge ? log_ratios_of(judge, round_count) : NULL;
    if (!log_ratios || (judge && !judge_ratios)) goto out;
    const size_t fixed = options->fixed_round_count;
    const struct look_input input = {.log_ratios = log_ratios,
                                     .base_ns = pairs->base_ns,
                                     .cand_ns = pairs->cand_ns,
                                     .options = options,
                                     .family_count = options->family_count ? options->family_count : 1,
                                     .call_count = fixed ? 1 : ROUNDS_LOOK_COUNT};
    struct look_input second = input;
    second.log_ratios = judge_ratios;
    if (judge) second.base_ns = judge->base_ns;
    if (judge) second.cand_ns = judge->cand_ns;
    const struct rounds_looks looks = rounds_looks_of(options);
    // A fixed number of rounds that was cut short decides nothing: after a resume there would be a second
    // look.
    const bool is_too_few = fixed && fixed < ROUNDS_LOOK_STEP && !options->is_counted;
    const size_t look_count = is_too_few ? 0 : looks.count;
    for (size_t k = 0; k < look_count && looks.rounds[k] <= round_count && finding.verdict == VERDICT_NONE;
         ++k) {
        const struct look look = {.round_count = looks.rounds[k],
                                  .alpha = looks.alpha[k],
                                  .is_last = k + 1 == looks.count,
                                  .has_signs = options->has_signs[k]};
        if (take_look(&input, &second, &look, &finding) < 0) goto out;
    }
    status = 0;
    if (finding.verdict == VERDICT_NONE) { // nothing is decided: figures of all rounds there are
        const struct look all = {.round_count = round_count, .alpha = looks.alpha[looks.count - 1]};
        status = look_get(&input, &all, &finding);
        if (options->is_final) set_verdict(&finding, VERDICT_UNDECIDABLE, REASON_TOO_FEW_ROUNDS);
    }
    if (status == 0) *ret = finding;
out:
    free(log_ratios);
    free(judge_ratios);
    return status;
}

// ---- how many rounds would decide ----

double rounds_needed_alpha(size_t round_count) {
    return round_count <= ROUNDS_MAX ? ROUNDS_LOOK_ALPHA : ROUNDS_FIXED_ALPHA;
}

static bool is_spread(double sd) {
    return isfinite(sd) && sd >= 0;
}

static double detectable_pct(double sd, size_t round_count, double alpha) {
    if (!is_spread(sd) || round_count < 2) return NAN;
    return log_to_pct(student_t_detectable(sd, round_count, alpha, ROUNDS_NEEDED_POWER));
}

double rounds_needed_detectable_pct(double sd, size_t round_count) {
    return detectable_pct(sd, round_count, rounds_needed_alpha(round_count));
}

double rounds_needed_detectable_fixed_pct(double sd, size_t round_count) {
    return detectable_pct(sd, round_count, ROUNDS_FIXED_ALPHA);
}

struct need {
    double sd, regression_pct, distance;
    bool is_fixed;
    double slowdown, inner, call_p; // inner: slowdown minus what its interval must lie beyond
};

static bool is_enough(const struct need *need, size_t round_count) {
    double alpha = need->is_fixed ? ROUNDS_FIXED_ALPHA : rounds_needed_alpha(round_count);
    struct round_stats stats = {
        .count = round_count, .sd = need->sd, .se = need->sd / sqrt((double)round_count)};
    return log_to_pct(round_stats_half_width(&stats, alpha)) <= ROUNDS_HALF_WIDTH_PCT &&
           detectable_pct(need->sd, round_count, alpha) <= need->regression_pct;
}

static bool is_apart(const struct need *need, size_t round_count) {
    return student_t_detectable(need->sd, round_count, 2 * ROUNDS_FIXED_ALPHA, ROUNDS_NEEDED_POWER) <=
           need->distance;
}

static bool is_called(const struct need *need, size_t round_count) {
    double limit = -normal_quantile(1 - ROUNDS_NEEDED_POWER) * need->sd / sqrt((double)round_count);
    return need->distance >= limit &&
           student_t_detectable(need->sd, round_count, ROUNDS_FIXED_ALPHA, ROUNDS_NEEDED_POWER) <=
               need->inner &&
           student_t_detectable(need->sd, round_count, 2 * need->call_p, ROUNDS_NEEDED_POWER) <=
               need->slowdown;
}

// The smallest R in [low, ROUNDS_LIMIT] for which suffices() is true; 0: none.
static uint32_t find_least_rounds(bool (*suffices)(const struct need *, size_t), const struct need *need,
                                  uint32_t low) {
    uint32_t high = ROUNDS_LIMIT;
    if (suffices(need, low)) return low;
    if (!suffices(need, high)) return 0;
    while (high - low > 1) { // low: too few, high: enough
        uint32_t middle = low + (high - low) / 2;
        if (suffices(need, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static uint32_t find_needed(double sd, double regression_pct, bool is_fixed) {
    const struct need need = {.sd = sd, .regression_pct = regression_pct, .is_fixed = is_fixed};
    if (!is_spread(sd) || !(regression_pct > 0)) return 0;
    return find_least_rounds(is_enough, &need, ROUNDS_LOOK_STEP);
}

uint32_t rounds_needed(double sd, double regression_pct) {
    return find_needed(sd, regression_pct, false);
}

uint32_t rounds_needed_fixed(double sd, double regression_pct) {
    return find_needed(sd, regression_pct, true);
}

uint32_t rounds_needed_apart(double sd, double distance) {
    const struct need need = {.sd = sd, .distance = distance};
    if (!is_spread(sd) || !(distance > 0)) return 0;
    return find_least_rounds(is_apart, &need, ROUNDS_LOOK_STEP);
}

uint32_t rounds_needed_call(double sd, double slowdown, double regression_pct, size_t family_count) {
    const struct need need = {.sd = sd,
                              .slowdown = slowdown,
                              .distance = slowdown - log_of_pct(regression_pct),
                              .inner = slowdown - log_of_pct(ROUNDS_SLOWER_SHARE * regression_pct),
                              .call_p = rounds_call_p(1, family_count)};
    if (!is_spread(sd) || !(regression_pct >= 0) || !(need.distance > 0) || !(slowdown > 0) || !family_count)
        return 0;
    return find_least_rounds(is_called, &need, ROUNDS_CALL_FROM);
}
