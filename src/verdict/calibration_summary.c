// SPDX-License-Identifier: Apache-2.0
//
// See calibration_summary.h.
#include "verdict/calibration_summary.h"

#include "base/mem.h"
#include "verdict/calibration_refusal.h"
#include "verdict/rounds_needed.h"

#include <math.h>
#include <stdlib.h>

#define POWER_SEED 1 // of the simulated gates: the same table for the same spread, always

const double calibration_changes_pct[CALIBRATION_CHANGES] = {0, 0.5, 1, 2, 3, 4, 5, 7, 10};

// ---- what is certified ----

static void tally(struct calibration_summary *summary) {
    bool is_beyond = false;
    summary->certified_pct = NAN;
    for (size_t i = 0; i < summary->problem_count; i++) {
        const struct calibration_pooled *problem = &summary->problems[i];
        if (!calibration_is_measured(problem)) {
            summary->unmeasured_count++;
            continue;
        }
        uint32_t needed = rounds_needed(problem->spread_pct / 100, summary->threshold_pct);
        summary->uncertified_count +=
            !calibration_certifies(problem, summary->threshold_pct, CALIBRATION_ROUNDS);
        is_beyond |= needed == 0;
        if (needed > summary->rounds_needed) summary->rounds_needed = needed;
        if (!(summary->certified_pct >= problem->certified_pct))
            summary->certified_pct = problem->certified_pct;
    }
    if (is_beyond) summary->rounds_needed = 0;
}

static const char *problems_words(size_t count, struct arena *arena) {
    return count == 1   ? "the problem"
           : count == 2 ? "both problems"
                        : arena_format(arena, "all %zu problems", count);
}

static const char *unmeasured_sentence(const struct calibration_summary *summary, struct arena *arena) {
    if (summary->problem_count == 1)
        return arena_format(arena, "the problem has fewer than %d valid rounds, so nothing is known of it",
                            ROUNDS_LOOK_STEP);
    return arena_format(arena,
                        "%zu of %zu problems have fewer than %d valid rounds, so nothing is known of them",
                        summary->unmeasured_count, summary->problem_count, ROUNDS_LOOK_STEP);
}

static void conclude(struct calibration_summary *summary, struct arena *arena) {
    summary->exit_code = 3;
    if (summary->unmeasured_count || summary->problem_count == 0) {
        summary->sentence = unmeasured_sentence(summary, arena);
    } else if (summary->uncertified_count) {
        const struct calibration_shortfall shortfall = {summary->threshold_pct, CALIBRATION_ROUNDS,
                                                        summary->certified_pct, summary->rounds_needed};
        summary->sentence = arena_format(
            arena, "this machine cannot certify %g %% on %zu of %zu problems: %s", summary->threshold_pct,
            summary->uncertified_count, summary->problem_count, calibration_help_words(&shortfall, arena));
    } else {
        summary->exit_code = 0;
        summary->sentence = arena_format(arena, "this machine certifies %g %% on %s in %d rounds",
                                         calibration_round_up_pct(summary->certified_pct),
                                         problems_words(summary->problem_count, arena), CALIBRATION_ROUNDS);
    }
}

// ---- power ----

static int compare_spread(const void *a, const void *b) {
    double x = (*(const struct calibration_pooled *const *)a)->spread_pct;
    double y = (*(const struct calibration_pooled *const *)b)->spread_pct;
    return (x > y) - (x < y);
}

// The problem with the (lower) median spread and the one with the largest; one alone where they are the same.
static int pick_views(struct calibration_summary *summary) {
    const struct calibration_pooled **sorted = mem_try_array(summary->problem_count + 1, sizeof *sorted);
    size_t count = 0;
    if (!sorted) return -1;
    for (size_t i = 0; i < summary->problem_count; i++)
        if (calibration_is_measured(&summary->problems[i])) sorted[count++] = &summary->problems[i];
    qsort(sorted, count, sizeof *sorted, compare_spread);
    if (count > 1) summary->views[summary->view_count++].problem = sorted[(count - 1) / 2];
    if (count > 0) summary->views[summary->view_count++].problem = sorted[count - 1];
    free(sorted);
    return 0;
}

static int fill_view(const struct rounds_options *rule, struct calibration_view *view) {
    double sd = view->problem->spread_pct / 100;
    int status = 0;
    for (size_t i = 0; i < CALIBRATION_CHANGES && status == 0; i++)
        status = calibration_power(sd, calibration_changes_pct[i], rule, CALIBRATION_POWER_TRIALS, POWER_SEED,
                                   &view->table[i]);
    for (size_t i = 0; i < CALIBRATION_CURVE_COUNT && status == 0; i++)
        status = calibration_power(sd, CALIBRATION_CURVE_STEP * (double)i, rule, CALIBRATION_CURVE_TRIALS,
                                   POWER_SEED, &view->curve[i]);
    return status;
}

int calibration_summarize(const struct calibration *calibration, const struct calibration_wanted *wanted,
                          const struct rounds_options *options, struct arena *arena,
                          struct calibration_summary *ret, struct err *err) {
    struct rounds_options rule = *options;
    rule.family_count = wanted->count;
    *ret = (struct calibration_summary){
        .threshold_pct = options->regression_pct,
        .problem_count = wanted->count,
        .problems = arena_array(arena, wanted->count, sizeof *ret->problems),
        .accusations = calibration_accusations(calibration),
    };
    for (size_t i = 0; i < wanted->count; i++) {
        struct calibration_pooled *problem = &ret->problems[i];
        calibration_pool(calibration, &wanted->conditions, wanted->names[i], problem);
        problem->name = wanted->names[i];
        problem->short_name = wanted->short_names[i];
    }
    tally(ret);
    conclude(ret, arena);
    int status = pick_views(ret);
    for (size_t i = 0; i < ret->view_count && status == 0; i++) status = fill_view(&rule, &ret->views[i]);
    return status < 0 ? err_set(err, ERR_INTERNAL, "no memory for the power of the rule") : 0;
}
