// SPDX-License-Identifier: Apache-2.0
//
// What do two bare sets of samples say by the classic rule? Figures, zone, separation, effect, table. Which
// samples of which files are held against each other is classic_files.c's.
#include "control/verdict/classic/classic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "control/verdict/decision_make.h"
#include "stats/bootstrap.h"
#include "stats/bootstrap_mt19937.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "stats/hodges_lehmann.h"
#include "stats/rank.h"
#include "stats/round_stats.h"

#define INTERVAL_LEVEL 0.95

static const char *const tie_names[CLASSIC_TIE_COUNT] = {
    [CLASSIC_TIE_NEUTRAL] = "neutral", [CLASSIC_TIE_PROVEN] = "proven"};

const char *classic_tie_name(enum classic_tie tie) {
    return tie > CLASSIC_TIE_INVALID && tie < CLASSIC_TIE_COUNT ? tie_names[tie] : "invalid";
}

enum classic_tie classic_tie_parse(const char *name) {
    for (int i = CLASSIC_TIE_INVALID + 1; i < CLASSIC_TIE_COUNT; ++i)
        if (str_equal(name, tie_names[i])) return (enum classic_tie)i;
    return CLASSIC_TIE_INVALID;
}

struct classic_options classic_options_default(void) {
    return (struct classic_options){.spec = gate_spec_default(),
                                    .tie = CLASSIC_TIE_NEUTRAL,
                                    .bootstrap_seed = 42,
                                    .has_guards = true,
                                    .ceiling_gflop_per_s = NAN,
                                    .ceiling_gb_per_s = NAN};
}

int classic_bootstrap_parse(const char *text, struct classic_options *options, struct err *err) {
    static const char prefix[] = "mt19937:";
    unsigned long long seed = 0;
    if (str_equal(text, "exact")) {
        options->is_literal_bootstrap = false;
        return 0;
    }
    if (!str_starts(text, prefix) || str_parse_u64(text + sizeof prefix - 1, &seed) < 0 || seed > UINT32_MAX)
        return err_set(
            err, ERR_USAGE,
            "unknown bootstrap '%s'; use exact, or mt19937:SEED with a seed below 2^32, such as mt19937:42",
            text);
    options->is_literal_bootstrap = true;
    options->bootstrap_seed = (uint32_t)seed;
    return 0;
}

// One side's samples, described once.
struct described {
    double *sorted; // owned
    struct describe figures;
    struct interval median_at;
};

static int describe_side(const double *times, size_t count, const struct classic_options *options,
                         struct described *ret) {
    ret->sorted = mem_try_array(count, sizeof *ret->sorted);
    if (!ret->sorted) return -1;
    if (describe_samples(times, count, ret->sorted, &ret->figures) < 0) return -1;
    if (options->is_literal_bootstrap)
        return bootstrap_mt19937_interval(times, count, options->bootstrap_seed, &ret->median_at);
    return bootstrap_median_interval(ret->sorted, count, &ret->median_at);
}

static int fill_figures(const struct described *base, const struct described *cand,
                        struct decision_case *ret) {
    size_t n = base->figures.n, m = cand->figures.n;
    struct rank_pairs pairs;
    struct rank_test test;
    struct interval ratio;
    struct hodges_lehmann shift;
    if (rank_count_pairs(base->sorted, n, cand->sorted, m, &pairs) < 0) return -1;
    if (bootstrap_ratio_interval(base->sorted, n, cand->sorted, m, &ratio) < 0) return -1;
    if (hodges_lehmann_log_ratio(base->sorted, n, cand->sorted, m, INTERVAL_LEVEL, &shift) < 0) return -1;
    rank_mann_whitney(&pairs, &test);
    ret->median_base_ns = base->figures.median;
    ret->median_cand_ns = cand->figures.median;
    ret->base_low_ns = base->median_at.lo;
    ret->base_high_ns = base->median_at.hi;
    ret->cand_low_ns = cand->median_at.lo;
    ret->cand_high_ns = cand->median_at.hi;
    ret->change_pct = describe_change_pct(base->figures.median, cand->figures.median);
    ret->change_low_pct = 100 * (ratio.lo - 1);
    ret->change_high_pct = 100 * (ratio.hi - 1);
    ret->interval_level = INTERVAL_LEVEL;
    ret->cliffs_delta = rank_cliffs_delta(&pairs);
    ret->u_statistic = test.u_base;
    ret->p_mann_whitney = test.p_two_sided;
    ret->hodges_lehmann_pct = log_to_pct(shift.estimate);
    ret->hl_low_pct = log_to_pct(shift.limits.lo);
    ret->hl_high_pct = log_to_pct(shift.limits.hi);
    return 0;
}

static void say(struct decision_case *ret, enum verdict verdict, enum reason reason) {
    ret->unguarded_verdict = verdict;
    ret->unguarded_reason = reason;
}

// The zone by products, strictly: exactly 3 % slower lies in the band. (100 + 3) / 100 is the double nearest
// to 1.03, which 1 + 3 / 100 need not be.
static void apply_table(const struct classic_options *options, struct decision_case *ret) {
    double slow_ratio = (100 + options->spec.regression_pct) / 100;
    double fast_ratio = (100 - options->spec.improvement_pct) / 100;
    bool is_slow = ret->median_cand_ns > slow_ratio * ret->median_base_ns;
    bool is_fast = ret->median_cand_ns < fast_ratio * ret->median_base_ns;
    struct interval base = {ret->base_low_ns, ret->base_high_ns},
                    cand = {ret->cand_low_ns, ret->cand_high_ns};
    bool is_apart = interval_is_disjoint(base, cand);
    bool is_effect = fabs(ret->cliffs_delta) >= CLASSIC_EFFECT_MIN;
    if (is_slow && is_apart) {
        say(ret, VERDICT_REGRESSION, REASON_SLOWER_PROVEN);
    } else if (is_slow) {
        say(ret, VERDICT_NO_DIFFERENCE, REASON_SLOWER_UNPROVEN);
    } else if (is_fast && is_apart && is_effect) {
        say(ret, VERDICT_IMPROVEMENT, REASON_FASTER_PROVEN);
    } else if (is_fast) {
        say(ret, VERDICT_NO_DIFFERENCE, is_apart ? REASON_EFFECT_TOO_SMALL : REASON_FASTER_UNPROVEN);
    } else if (is_apart && is_effect) {
        bool is_slower = ret->median_cand_ns > ret->median_base_ns;
        say(ret, VERDICT_MAINTAINED, is_slower ? REASON_SLOWER_IN_BAND : REASON_FASTER_IN_BAND);
    } else if (options->tie == CLASSIC_TIE_PROVEN && ret->change_high_pct < options->spec.regression_pct) {
        say(ret, VERDICT_MAINTAINED, REASON_IN_BAND);
    } else {
        say(ret, VERDICT_NO_DIFFERENCE, REASON_TIE);
    }
}

static bool has_few_effective(const struct describe *figures) {
    return figures->n >= CLASSIC_EFFECTIVE_FROM && figures->effective_count < CLASSIC_EFFECTIVE_MIN;
}

static void guard_effective(const struct described *base, const struct described *cand, struct arena *arena,
                            struct decision_case *ret) {
    bool is_base = has_few_effective(&base->figures);
    if (!is_base && !has_few_effective(&cand->figures)) return;
    const struct describe *figures = is_base ? &base->figures : &cand->figures;
    const char *sentence = arena_format(
        arena,
        "the %zu samples of the %s hang together so much that they count as %.0f; %d are needed: measure "
        "in rounds (assay gate)",
        figures->n, is_base ? "baseline" : "candidate", figures->effective_count, CLASSIC_EFFECTIVE_MIN);
    decision_case_guard(ret, REASON_FEW_EFFECTIVE_SAMPLES, sentence);
}

static bool are_times(const double *times, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (!(isfinite(times[i]) && times[i] > 0)) return false;
    return true;
}

// Guards that need no figures. False: there is nothing to compute.
static bool guard_counts(const struct classic_sets *sets, struct arena *arena, struct decision_case *ret) {
    if (!are_times(sets->base_ns, sets->base_count) || !are_times(sets->cand_ns, sets->cand_count)) {
        decision_case_guard(ret, REASON_BAD_TIMES, "a time is not finite and positive");
        return false;
    }
    bool is_base = sets->base_count < CLASSIC_SAMPLES_MIN;
    if (is_base || sets->cand_count < CLASSIC_SAMPLES_MIN)
        decision_case_guard(ret, REASON_TOO_FEW_SAMPLES,
                            arena_format(arena, "%zu samples of the %s; at least %d are needed",
                                         is_base ? sets->base_count : sets->cand_count,
                                         is_base ? "baseline" : "candidate", CLASSIC_SAMPLES_MIN));
    return sets->base_count > 0 && sets->cand_count > 0;
}

int classic_judge(const struct classic_sets *sets, const struct classic_options *options, struct arena *arena,
                  struct decision_case *ret, struct err *err) {
    struct described base = {0}, cand = {0};
    int status = 0;
    ret->base_count = sets->base_count;
    ret->cand_count = sets->cand_count;
    if (guard_counts(sets, arena, ret)) {
        if (describe_side(sets->base_ns, sets->base_count, options, &base) < 0 ||
            describe_side(sets->cand_ns, sets->cand_count, options, &cand) < 0 ||
            fill_figures(&base, &cand, ret) < 0) {
            status = err_set(err, ERR_INTERNAL, "not enough memory to compare %zu with %zu samples",
                             sets->base_count, sets->cand_count);
            goto out;
        }
        apply_table(options, ret);
        guard_effective(&base, &cand, arena, ret);
    }
    decision_case_settle(ret, options->has_guards);
out:
    free(base.sorted);
    free(cand.sorted);
    return status;
}
