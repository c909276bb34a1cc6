// SPDX-License-Identifier: Apache-2.0
//
// See calibration_refusal.h. What a study of identical code has shown this machine not to be able to tell is
// not measured in the hope that it will today.
#include "control/verdict/calibration/calibration_refusal.h"

#include <math.h>

#include "base/strbuf.h"
#include "control/verdict/decision_case.h"
#include "control/verdict/family.h"
#include "control/verdict/rounds/rounds_needed.h"

// ---- what would help ----

// Up, so that an effect just above a threshold is not printed as the threshold.
static double tenth_above(double pct) {
    return ceil(10 * pct) / 10;
}

const char *calibration_help_text(const struct calibration_shortfall *shortfall, struct arena *arena) {
    const unsigned count = shortfall->round_count;
    const bool is_effect = shortfall->certified_pct > shortfall->threshold_pct;
    const char *gives =
        is_effect
            ? arena_format(arena, "%u rounds certify %.1f %%", count, tenth_above(shortfall->certified_pct))
            : arena_format(arena, "%u rounds leave an interval of more than %g %% either way", count,
                           ROUNDS_HALF_WIDTH_PCT);
    if (shortfall->rounds_needed)
        return arena_format(arena, "%s; gate --rounds %u would do, or a quieter machine", gives,
                            (unsigned)shortfall->rounds_needed);
    return arena_format(
        arena, "%s; not even %d rounds would do, only a quieter machine or a coarser threshold than %g %%",
        gives, ROUNDS_LIMIT, shortfall->threshold_pct);
}

static double certified_pct(const struct calibration_question *question, double spread_pct) {
    const double sd = spread_pct / 100;
    return question->is_fixed ? rounds_needed_detectable_fixed_pct(sd, question->round_count)
                              : rounds_needed_detectable_pct(sd, question->round_count);
}

static const char *help_for(const struct calibration_question *question,
                            const struct calibration_pooled *problem, struct arena *arena) {
    const struct calibration_shortfall shortfall = {
        .threshold_pct = question->spec.regression_pct,
        .round_count = question->round_count,
        .certified_pct = certified_pct(question, problem->spread_high_pct),
        .rounds_needed = rounds_needed_fixed(problem->spread_high_pct / 100, question->spec.regression_pct),
    };
    return calibration_help_text(&shortfall, arena);
}

// "the spread between rounds is 8.0 % (at most 11.0 %), measured with noisy"
static const char *spread_text(const struct calibration_pooled *problem, struct arena *arena) {
    return arena_format(arena, "%.2f %% (at most %.2f %%)%s%s", problem->spread_pct, problem->spread_high_pct,
                        problem->kernel ? ", measured with " : "", problem->kernel ? problem->kernel : "");
}

// ---- the problems ----

// False: nothing is known of the problem under these conditions.
static bool find_known(const struct calibration_question *question, const struct result *result,
                       const struct result_case *item, struct calibration_pooled *ret) {
    return calibration_pool_for(question->calibration, &question->conditions, result, item->problem.name,
                                ret);
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
        "a threshold of %g %% is finer than this machine can certify on %zu of %zu problems; on %s "
        "(spread between rounds %s) %s",
        question->spec.regression_pct, survey->refused_count, survey->case_count, worst_name(survey),
        spread_text(&survey->worst, arena), help_for(question, &survey->worst, arena));
}

static void refuse_case(const struct calibration_question *question, const struct calibration_pooled *problem,
                        struct arena *arena, struct decision_case *item) {
    decision_case_set(item, VERDICT_UNDECIDABLE, REASON_TOO_NOISY,
                      arena_format(arena, "not measured: the spread between rounds is %s, so %s",
                                   spread_text(problem, arena), help_for(question, problem, arena)));
    item->spread_pct = problem->spread_pct;
    item->smallest_detectable_pct = certified_pct(question, problem->spread_pct);
}

struct decision calibration_refuse(const struct calibration_question *question, const struct result *result,
                                   struct arena *arena) {
    const struct calibration_survey survey = calibration_survey(question, result);
    struct decision decision = family_empty("rounds", &question->spec);
    decision.case_count = result->case_count;
    decision.cases = arena_array(arena, result->case_count, sizeof *decision.cases);
    for (size_t i = 0; i < result->case_count; ++i) {
        struct calibration_pooled problem;
        decision.cases[i] = decision_case_named(&result->cases[i], arena);
        if (find_known(question, result, &result->cases[i], &problem) &&
            judge(question, &problem) == CALIBRATION_REFUSES)
            refuse_case(question, &problem, arena, &decision.cases[i]);
    }
    family_summarize(&decision, arena);
    family_add_note(&decision, arena,
                    arena_format(arena,
                                 "nothing was measured: %s; --ignore-calibration measures all the same",
                                 refusal_text(question, &survey, arena)));
    return decision;
}

// ---- beside a measurement ----

const char *calibration_note_text(const struct calibration_question *question,
                                  const struct calibration_survey *survey, bool is_ignored,
                                  struct arena *arena) {
    if (survey->known_count == 0)
        return "none of these problems was calibrated on this device with this driver, regime and cache "
               "mode: "
               "'assay calibrate' measures what the machine can certify";
    if (survey->refused_count)
        return arena_format(arena, "%s by the calibration, %s",
                            is_ignored ? "measured all the same (--ignore-calibration):" : "measured, but",
                            refusal_text(question, survey, arena));
    if (survey->uncertain_count)
        return arena_format(
            arena,
            "calibrated: whether this machine certifies %g %% is uncertain on %zu of %zu problems; on "
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
        arena, "calibrated: on %s %u rounds certify %.2f %% (worst problem: %s, spread between rounds %s)",
        problems, (unsigned)question->round_count, certified_pct(question, survey->worst.spread_high_pct),
        worst_name(survey), spread_text(&survey->worst, arena));
}
