// SPDX-License-Identifier: Apache-2.0
//
// Sentences and figures from stored calibrations, for `assay calibrate` and for a gate about to measure. A
// gate stops before measuring if A/A studies have shown that this machine cannot detect a change of the
// threshold's size.
#include "verdict/calibration/calibration_summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "verdict/decision_make.h"
#include "verdict/rounds/rounds_dependence.h"
#include "verdict/rounds/rounds_rule.h"

// ---- what would help ----

const char *calibration_help_text(const struct calibration_shortfall *shortfall, struct arena *arena) {
    const unsigned count = shortfall->round_count;
    const bool is_effect = shortfall->detectable_pct > shortfall->threshold_pct;
    const char *gives = is_effect
                            // Rounded up, so that a change just above a threshold is not printed as the
                            // threshold.
                            ? arena_format(arena, "%u rounds detect %.1f %%", count,
                                           ceil(10 * shortfall->detectable_pct) / 10)
                            : arena_format(arena, "%u rounds leave an interval of more than %g %% either way",
                                           count, ROUNDS_HALF_WIDTH_PCT);
    if (shortfall->rounds_needed)
        return arena_format(arena, "%s; gate --rounds %u would do, or a quieter machine", gives,
                            (unsigned)shortfall->rounds_needed);
    return arena_format(
        arena, "%s; not even %d rounds would do, only a quieter machine or a coarser threshold than %g %%",
        gives, ROUNDS_LIMIT, shortfall->threshold_pct);
}

static double detectable_pct(const struct calibration_question *question, double spread_pct) {
    const double sd = spread_pct / 100;
    return question->is_fixed ? rounds_needed_detectable_fixed_pct(sd, question->round_count)
                              : rounds_needed_detectable_pct(sd, question->round_count);
}

static const char *help_for(const struct calibration_question *question,
                            const struct calibration_pooled *problem, struct arena *arena) {
    const struct calibration_shortfall shortfall = {
        .threshold_pct = question->spec.regression_pct,
        .round_count = question->round_count,
        .detectable_pct = detectable_pct(question, problem->spread_high_pct),
        .rounds_needed = rounds_needed_fixed(problem->spread_high_pct / 100, question->spec.regression_pct),
    };
    return calibration_help_text(&shortfall, arena);
}

// "the spread between rounds is 8.0 % (at most 11.0 %), measured with noisy"
static const char *spread_text(const struct calibration_pooled *problem, struct arena *arena) {
    return arena_format(arena, "%.2f %% (at most %.2f %%)%s%s", problem->spread_pct, problem->spread_high_pct,
                        problem->kernel ? ", measured with " : "", problem->kernel ? problem->kernel : "");
}

#define POWER_SEED 1 // constant: the same spread always gives the same table

const double calibration_changes_pct[CALIBRATION_CHANGES] = {0, 0.5, 1, 2, 3, 4, 5, 7, 10};

// ---- dependence ----

static struct calibration_dependence find_dependence(const struct calibration *calibration,
                                                     const struct calibration_conditions *conditions) {
    struct calibration_dependence ret = {.correlation = NAN};
    for (size_t i = 0; i < calibration->study_count; ++i) {
        const struct calibration_study *study = &calibration->studies[i];
        if (!calibration_study_is_of(study, conditions) || !isfinite(study->round_correlation_p)) continue;
        const bool is_dependent = rounds_are_dependent(study->round_correlation_p);
        ++ret.study_count;
        if (is_dependent && ret.dependent_count++)
            ret.correlation = fmax(ret.correlation, study->round_correlation);
        else if (is_dependent || !ret.dependent_count)
            ret.correlation = study->round_correlation;
    }
    return ret;
}

// ---- what is detectable ----

static void tally(struct calibration_summary *summary) {
    const struct calibration_gate gate = {summary->threshold_pct, CALIBRATION_ROUNDS, .is_fixed = false};
    bool is_beyond = false;
    summary->detectable_pct = NAN;
    for (size_t i = 0; i < summary->problem_count; ++i) {
        const struct calibration_pooled *problem = &summary->problems[i];
        enum calibration_fitness fitness = calibration_judge(problem, &gate);
        summary->unmeasured_count += fitness == CALIBRATION_UNKNOWN;
        summary->uncertain_count += fitness == CALIBRATION_UNCERTAIN;
        summary->refused_count += fitness == CALIBRATION_REFUSES;
        if (fitness == CALIBRATION_UNKNOWN) continue;
        uint32_t needed = rounds_needed_fixed(problem->spread_high_pct / 100, summary->threshold_pct);
        is_beyond |= needed == 0;
        if (needed > summary->rounds_needed) summary->rounds_needed = needed;
        if (!(summary->detectable_pct >= problem->detectable_pct))
            summary->detectable_pct = problem->detectable_pct;
    }
    if (is_beyond) summary->rounds_needed = 0;
    summary->pair_count = calibration_pair_count(summary->problems, summary->problem_count);
}

static const char *undetectable_sentence(const struct calibration_summary *summary, struct arena *arena) {
    const struct calibration_shortfall shortfall = {summary->threshold_pct, CALIBRATION_ROUNDS,
                                                    summary->detectable_pct, summary->rounds_needed};
    const char *help = calibration_help_text(&shortfall, arena);
    if (!summary->refused_count)
        return arena_format(
            arena,
            "whether this machine can detect %g %% is uncertain on %zu of %zu problems: at the "
            "upper limit of the spread %s; more rounds of calibrate (--runs) narrow it",
            summary->threshold_pct, summary->uncertain_count, summary->problem_count, help);
    const char *others = summary->uncertain_count
                             ? arena_format(arena, " (and on %zu it is uncertain)", summary->uncertain_count)
                             : "";
    return arena_format(arena, "this machine cannot detect %g %% on %zu of %zu problems%s: %s",
                        summary->threshold_pct, summary->refused_count, summary->problem_count, others, help);
}

static void conclude(struct calibration_summary *summary, struct arena *arena) {
    const size_t count = summary->problem_count;
    const double detectable_pct = summary->detectable_pct, threshold_pct = summary->threshold_pct;
    summary->exit_code = 3;
    if (count == 1 && summary->unmeasured_count) {
        summary->sentence = arena_format(
            arena, "the problem has fewer than %d valid rounds, so nothing is known of it", ROUNDS_LOOK_STEP);
        return;
    }
    if (summary->unmeasured_count || count == 0) {
        summary->sentence = arena_format(
            arena, "%zu of %zu problems have fewer than %d valid rounds, so nothing is known of them",
            summary->unmeasured_count, count, ROUNDS_LOOK_STEP);
        return;
    }
    if (summary->refused_count || summary->uncertain_count) {
        summary->sentence = undetectable_sentence(summary, arena);
        return;
    }
    summary->exit_code = 0;
    const char *problems = count == 1   ? "the problem"
                           : count == 2 ? "both problems"
                                        : arena_format(arena, "all %zu problems", count);
    const char *finest =
        detectable_pct > 0
            ? arena_format(arena, "the smallest change it can detect is %.2f %%", detectable_pct)
            : "its rounds differ by less than the timer shows";
    // Rounded up to a whole per cent, since users choose such thresholds; never above the threshold.
    const double whole_pct = detectable_pct > 0 ? fmin(ceil(detectable_pct), threshold_pct) : threshold_pct;
    summary->sentence =
        arena_format(arena, "this machine can detect %g %% on %s in %d rounds (the threshold is %g %%); %s",
                     whole_pct, problems, CALIBRATION_ROUNDS, threshold_pct, finest);
}

// ---- power ----

static int compare_spread(const void *a, const void *b) {
    double x = (*(const struct calibration_pooled *const *)a)->spread_pct;
    double y = (*(const struct calibration_pooled *const *)b)->spread_pct;
    return (x > y) - (x < y);
}

// The problem with the (lower) median spread and the one with the largest; only one if they are the same.
static int pick_views(struct calibration_summary *summary) {
    const struct calibration_pooled **sorted = mem_try_array(summary->problem_count + 1, sizeof *sorted);
    size_t count = 0;
    if (!sorted) return -1;
    for (size_t i = 0; i < summary->problem_count; ++i)
        if (calibration_is_measured(&summary->problems[i])) sorted[count++] = &summary->problems[i];
    qsort(sorted, count, sizeof *sorted, compare_spread);
    if (count > 1) summary->views[summary->view_count++].problem = sorted[(count - 1) / 2];
    if (count > 0) summary->views[summary->view_count++].problem = sorted[count - 1];
    free(sorted);
    return 0;
}

// Rounds up by less than 2 %: fewer different spreads have to be simulated, and the result is safe for the
// spread measured.
static double rounded_up(double sd) {
    const double step = log(1.02);
    return sd > 0 ? exp(step * ceil(log(sd) / step - 1e-9)) : 0;
}

static int fill_detected(const struct rounds_options *rule, struct calibration_summary *summary) {
    for (size_t i = 0; i < summary->problem_count; ++i) {
        summary->detected_pct[i] = NAN;
        if (!calibration_is_measured(&summary->problems[i])) continue;
        double sd = rounded_up(summary->problems[i].spread_high_pct / 100);
        size_t k = 0;
        while (k < i && !(isfinite(summary->detected_pct[k]) &&
                          rounded_up(summary->problems[k].spread_high_pct / 100) == sd))
            ++k;
        if (k < i) {
            summary->detected_pct[i] = summary->detected_pct[k];
            continue;
        }
        int status = calibration_power_detected_pct(sd, rule, POWER_SEED, &summary->detected_pct[i]);
        if (status < 0) return status;
    }
    return 0;
}

static int play(const struct rounds_options *rule, struct calibration_summary *summary) {
    int status = pick_views(summary) < 0 ? -ENOMEM : fill_detected(rule, summary);
    for (size_t v = 0; v < summary->view_count; ++v) {
        struct calibration_view *view = &summary->views[v];
        const double sd = view->problem->spread_pct / 100;
        for (size_t i = 0; i < CALIBRATION_CHANGES && status == 0; ++i)
            status = calibration_power(sd, calibration_changes_pct[i], rule, CALIBRATION_POWER_TRIALS,
                                       POWER_SEED, &view->table[i]);
        for (size_t i = 0; i < CALIBRATION_CURVE_COUNT && status == 0; ++i)
            status = calibration_power(sd, CALIBRATION_CURVE_STEP * (double)i, rule, CALIBRATION_CURVE_TRIALS,
                                       POWER_SEED, &view->curve[i]);
    }
    return status;
}

int calibration_summarize(const struct calibration *calibration, const struct calibration_wanted *wanted,
                          const struct rounds_options *options, struct arena *arena,
                          struct calibration_summary *ret, struct err *err) {
    struct rounds_options rule = *options;
    rule.family_count = wanted->count;
    *ret = (struct calibration_summary){
        .threshold_pct = options->spec.regression_pct,
        .problem_count = wanted->count,
        .problems = arena_array(arena, wanted->count, sizeof *ret->problems),
        .detected_pct = arena_array(arena, wanted->count, sizeof *ret->detected_pct),
        .false_alarms = calibration_false_alarms(calibration),
        .dependence = find_dependence(calibration, &wanted->conditions),
    };
    for (size_t i = 0; i < wanted->count; ++i) {
        struct calibration_pooled *problem = &ret->problems[i];
        calibration_pool(calibration, &wanted->conditions, wanted->names[i], problem);
        problem->name = wanted->names[i];
        problem->short_name = wanted->short_names[i];
    }
    tally(ret);
    conclude(ret, arena);
    int status = play(&rule, ret);
    if (status == -EINVAL)
        return err_set(err, ERR_INTERNAL,
                       "a gate cannot be simulated at the spread found: it is beyond %g %%",
                       100 * CALIBRATION_POWER_SD_MAX);
    return status < 0 ? err_set(err, ERR_INTERNAL, "no memory for the power of the rule") : 0;
}

// ---- for a gate ----

// False: the problem has no calibration under these conditions.
static bool find_known(const struct calibration_question *question, const struct result *result,
                       const struct result_case *item, struct calibration_pooled *ret) {
    char key[PROBLEM_KEY_BYTES];
    return calibration_pool_for(question->calibration, &question->conditions, result,
                                result_case_key(item, key), ret);
}

static enum calibration_fitness judge(const struct calibration_question *question,
                                      const struct calibration_pooled *problem) {
    const struct calibration_gate gate = {question->spec.regression_pct, question->round_count,
                                          question->is_fixed};
    return calibration_judge(problem, &gate);
}

struct calibration_survey calibration_survey(const struct calibration_question *question,
                                             const struct result *result) {
    struct calibration_survey survey = {.worst = {.spread_pct = NAN, .spread_high_pct = NAN},
                                        .case_count = result->case_count};
    for (size_t i = 0; i < result->case_count; ++i) {
        struct calibration_pooled problem;
        if (!find_known(question, result, &result->cases[i], &problem)) continue;
        enum calibration_fitness fitness = judge(question, &problem);
        ++survey.known_count;
        survey.refused_count += fitness == CALIBRATION_REFUSES;
        survey.uncertain_count += fitness == CALIBRATION_UNCERTAIN;
        if (!(survey.worst.spread_high_pct >= problem.spread_high_pct)) survey.worst = problem;
    }
    return survey;
}

static const char *worst_name(const struct calibration_survey *survey) {
    return str_or(survey->worst.short_name, survey->worst.name);
}

static const char *refusal_text(const struct calibration_question *question,
                                const struct calibration_survey *survey, struct arena *arena) {
    return arena_format(
        arena,
        "a threshold of %g %% is smaller than this machine can detect on %zu of %zu problems; on %s "
        "(spread between rounds %s) %s",
        question->spec.regression_pct, survey->refused_count, survey->case_count, worst_name(survey),
        spread_text(&survey->worst, arena), help_for(question, &survey->worst, arena));
}

struct decision calibration_refuse(const struct calibration_question *question, const struct result *result,
                                   struct arena *arena) {
    const struct calibration_survey survey = calibration_survey(question, result);
    struct decision decision = decision_empty("rounds", &question->spec);
    decision.case_count = result->case_count;
    decision.cases = arena_array(arena, result->case_count, sizeof *decision.cases);
    for (size_t i = 0; i < result->case_count; ++i) {
        struct calibration_pooled problem;
        decision.cases[i] = decision_case_named(&result->cases[i], arena);
        if (!find_known(question, result, &result->cases[i], &problem) ||
            judge(question, &problem) != CALIBRATION_REFUSES)
            continue;
        struct decision_case *item = &decision.cases[i];
        decision_case_set(item, VERDICT_UNDECIDABLE, REASON_TOO_NOISY,
                          arena_format(arena, "not measured: the spread between rounds is %s, so %s",
                                       spread_text(&problem, arena), help_for(question, &problem, arena)));
        item->spread_pct = problem.spread_pct;
        item->smallest_detectable_pct = detectable_pct(question, problem.spread_pct);
    }
    decision_summarize(&decision, arena);
    decision_note(&decision, arena, "nothing was measured: %s; --ignore-calibration measures all the same",
                  refusal_text(question, &survey, arena));
    return decision;
}

const char *calibration_note_text(const struct calibration_question *question,
                                  const struct calibration_survey *survey, bool is_ignored,
                                  struct arena *arena) {
    if (survey->known_count == 0)
        return "none of these problems was calibrated on this device with this driver, power mode and cache "
               "mode: 'assay calibrate' measures what the machine can detect";
    if (survey->refused_count)
        return arena_format(arena, "%s by the calibration, %s",
                            is_ignored ? "measured all the same (--ignore-calibration):" : "measured, but",
                            refusal_text(question, survey, arena));
    if (survey->uncertain_count)
        return arena_format(
            arena,
            "calibrated: whether this machine can detect %g %% is uncertain on %zu of %zu problems; on "
            "%s (spread between rounds %s) %s",
            question->spec.regression_pct, survey->uncertain_count, survey->case_count, worst_name(survey),
            spread_text(&survey->worst, arena), help_for(question, &survey->worst, arena));
    const char *problems =
        survey->known_count == survey->case_count
            ? "all problems"
            : arena_format(arena, "%zu of %zu problems", survey->known_count, survey->case_count);
    if (!(survey->worst.spread_high_pct > 0))
        return arena_format(arena, "calibrated: on %s rounds differ by less than the timer shows", problems);
    return arena_format(
        arena, "calibrated: on %s %u rounds detect %.2f %% (worst problem: %s, spread between rounds %s)",
        problems, (unsigned)question->round_count, detectable_pct(question, survey->worst.spread_high_pct),
        worst_name(survey), spread_text(&survey->worst, arena));
}
