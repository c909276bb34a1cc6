// SPDX-License-Identifier: Apache-2.0
//
// The classic rule on two bare sets of samples: figures, zone, separation, effect, table. classic_files.c
// chooses which samples of which files are compared.
#include "verdict/classic/classic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "stats/bootstrap_mt19937.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "stats/hodges_lehmann.h"
#include "stats/rank.h"
#include "stats/round_stats.h"
#include "verdict/decision_make.h"

#define INTERVAL_LEVEL 0.95

static const char *const side_names[] = {"baseline", "candidate"};
static const char *const tie_names[CLASSIC_TIE_COUNT] = {
    [CLASSIC_TIE_NEUTRAL] = "neutral", [CLASSIC_TIE_PROVEN] = "proven"};

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
                         struct bootstrap_median_memory *memory, struct described *ret) {
    ret->sorted = mem_try_array(count, sizeof *ret->sorted);
    if (!ret->sorted) return -1;
    if (describe_samples(times, count, ret->sorted, &ret->figures) < 0) return -1;
    if (options->is_literal_bootstrap)
        return bootstrap_mt19937_interval(times, count, options->bootstrap_seed, &ret->median_at);
    return bootstrap_median_interval(ret->sorted, count, memory, &ret->median_at);
}

static int fill_figures(const struct described *base, const struct described *cand,
                        struct bootstrap_ratio_memory *memory, struct decision_case *ret) {
    size_t n = base->figures.n, m = cand->figures.n;
    struct rank_pairs pairs;
    struct rank_test test;
    struct interval ratio;
    struct hodges_lehmann shift;
    if (rank_count_pairs(base->sorted, n, cand->sorted, m, &pairs) < 0) return -1;
    if (bootstrap_ratio_interval(base->sorted, n, cand->sorted, m, memory, &ratio) < 0) return -1;
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

// The zone, by products: a change of exactly 3 % is inside the band. (100 + 3) / 100 is the double nearest to
// 1.03, which 1 + 3 / 100 need not be.
static void apply_table(const struct classic_options *options, struct decision_case *ret) {
    double slow_ratio = (100 + options->spec.regression_pct) / 100;
    double fast_ratio = (100 - options->spec.improvement_pct) / 100;
    bool is_slow = ret->median_cand_ns > slow_ratio * ret->median_base_ns;
    bool is_fast = ret->median_cand_ns < fast_ratio * ret->median_base_ns;
    struct interval base = {ret->base_low_ns, ret->base_high_ns},
                    cand = {ret->cand_low_ns, ret->cand_high_ns};
    bool is_apart = interval_is_disjoint(base, cand);
    bool is_effect = fabs(ret->cliffs_delta) >= CLASSIC_EFFECT_MIN;
    enum verdict verdict = VERDICT_NO_DIFFERENCE;
    enum reason reason = REASON_TIE;
    if (is_slow) {
        verdict = is_apart ? VERDICT_REGRESSION : VERDICT_NO_DIFFERENCE;
        reason = is_apart ? REASON_SLOWER_PROVEN : REASON_SLOWER_UNPROVEN;
    } else if (is_fast && is_apart && is_effect) {
        verdict = VERDICT_IMPROVEMENT;
        reason = REASON_FASTER_PROVEN;
    } else if (is_fast) {
        reason = is_apart ? REASON_EFFECT_TOO_SMALL : REASON_FASTER_UNPROVEN;
    } else if (is_apart && is_effect) {
        verdict = VERDICT_MAINTAINED;
        reason = ret->median_cand_ns > ret->median_base_ns ? REASON_SLOWER_IN_BAND : REASON_FASTER_IN_BAND;
    } else if (options->tie == CLASSIC_TIE_PROVEN && ret->change_high_pct < options->spec.regression_pct) {
        verdict = VERDICT_MAINTAINED;
        reason = REASON_IN_BAND;
    }
    ret->unguarded_verdict = verdict;
    ret->unguarded_reason = reason;
}

// Guards that need no figures. False: there are no times to compute with.
static bool guard_counts(const double *const times[2], const size_t counts[2], struct arena *arena,
                         struct decision_case *ret) {
    for (size_t side = 0; side < 2; ++side)
        for (size_t i = 0; i < counts[side]; ++i)
            if (!(isfinite(times[side][i]) && times[side][i] > 0)) {
                decision_case_guard(ret, REASON_BAD_TIMES, "a time is not finite and positive");
                return false;
            }
    for (size_t side = 0; side < 2; ++side)
        if (counts[side] < CLASSIC_SAMPLES_MIN)
            decision_case_guard(ret, REASON_TOO_FEW_SAMPLES,
                                arena_format(arena, "%zu samples of the %s; at least %d are needed",
                                             counts[side], side_names[side], CLASSIC_SAMPLES_MIN));
    return counts[0] > 0 && counts[1] > 0;
}

int classic_judge(const struct classic_sets *sets, const struct classic_options *options, struct arena *arena,
                  struct decision_case *ret, struct err *err) {
    const double *const times[2] = {sets->base_ns, sets->cand_ns};
    const size_t counts[2] = {sets->base_count, sets->cand_count};
    struct described sides[2] = {0};
    int status = 0;
    ret->base_count = counts[0];
    ret->cand_count = counts[1];
    if (guard_counts(times, counts, arena, ret)) {
        struct classic_memory *memory = sets->memory;
        struct bootstrap_median_memory *base = memory ? &memory->base : NULL;
        struct bootstrap_median_memory *cand = memory && counts[0] != counts[1] ? &memory->cand : base;
        if (describe_side(times[0], counts[0], options, base, &sides[0]) < 0 ||
            describe_side(times[1], counts[1], options, cand, &sides[1]) < 0 ||
            fill_figures(&sides[0], &sides[1], memory ? &memory->ratio : NULL, ret) < 0) {
            status = err_set(err, ERR_INTERNAL, "not enough memory to compare %zu with %zu samples",
                             counts[0], counts[1]);
            goto out;
        }
        apply_table(options, ret);
    }
    for (size_t i = 0; i < 2; ++i) { // n is 0 where nothing was computed
        const struct describe *figures = &sides[i].figures;
        if (sets->ret_effective) sets->ret_effective[i] = figures->n ? figures->effective_count : NAN;
        if (figures->n < CLASSIC_EFFECTIVE_FROM || figures->effective_count >= CLASSIC_EFFECTIVE_MIN)
            continue;
        decision_case_guard(
            ret, REASON_FEW_EFFECTIVE_SAMPLES,
            arena_format(arena,
                         "the %zu samples of the %s are so correlated that they count as %.0f; %d are "
                         "needed: measure in rounds (assay gate)",
                         figures->n, side_names[i], figures->effective_count, CLASSIC_EFFECTIVE_MIN));
    }
    decision_case_settle(ret, options->has_guards);
out:
    free(sides[0].sorted);
    free(sides[1].sorted);
    return status;
}
