// SPDX-License-Identifier: Apache-2.0
//
// See gate_calibration.h. What a study of identical code has shown this machine not to be able to tell is not measured in
// the hope that it will today.
#include "flow/gate_calibration.h"

#include "base/strbuf.h"

#include "flow/ask.h"
#include "flow/calibration_store.h"
#include "verdict/calibration_study.h"
#include "verdict/decision_case.h"
#include "verdict/family.h"
#include "verdict/rounds_needed.h"

#include <math.h>

// What is stored of the gate's device, and under which conditions the gate measures.
struct known {
    struct calibration calibration; // to be freed
    struct calibration_conditions conditions;
    double threshold_pct;
    uint32_t round_count; // planned at most
};

static bool has_rounds(const struct gate *gate) {
    return !gate->is_stored_baseline && !gate->run.plan.gate.is_same_code;
}

// 1: found, 0: nothing is stored. A driver that is not known is taken to be the newest study's.
static int known_read(const struct gate *gate, const struct device_identity *device, struct known *ret,
                      struct err *err) {
    const struct plan *plan = &gate->run.plan;
    const char *driver = device->driver;
    *ret = (struct known){.threshold_pct = plan->gate.regression_pct,
                          .round_count = plan->looks[plan->look_count - 1]};
    int code = calibration_store_read(device->uuid, device->thread_count, &ret->calibration, err);
    if (code <= 0) return code;
    const struct calibration *calibration = &ret->calibration;
    if (!driver && calibration->study_count)
        driver = calibration->studies[calibration->study_count - 1].driver;
    ret->conditions = (struct calibration_conditions){
        .driver = driver,
        .regime = plan->sampling.regime,
        .cache_mode = cache_mode_name(plan->sampling.cache_mode),
    };
    return 1;
}

static const char *what_helps(const struct known *known, uint32_t needed, struct arena *arena) {
    if (needed) return arena_format(arena, "--rounds %u would do, or a quieter machine", (unsigned)needed);
    return arena_format(
        arena, "not even %d rounds would do, only a quieter machine or a coarser threshold than %g %%",
        ROUNDS_LIMIT, known->threshold_pct);
}

// What so many rounds of a problem come to: the effect they certify, or an interval too wide for the rule to decide.
static const char *what_rounds_give(const struct known *known, const struct calibration_pooled *problem,
                                    struct arena *arena) {
    double sd = problem->spread_pct / 100;
    double certified_pct = rounds_needed_detectable_pct(sd, known->round_count);
    if (certified_pct > known->threshold_pct)
        return arena_format(arena, "%u rounds certify %.1f %%", (unsigned)known->round_count, certified_pct);
    return arena_format(arena, "%u rounds leave an interval of more than %g %% either way",
                        (unsigned)known->round_count, ROUNDS_HALF_WIDTH_PCT);
}

static void refuse_case(const struct known *known, const struct calibration_pooled *problem,
                        struct arena *arena, struct decision_case *item) {
    uint32_t needed = rounds_needed(problem->spread_pct / 100, known->threshold_pct);
    decision_case_set(item, VERDICT_UNDECIDABLE, REASON_TOO_NOISY,
                      arena_format(arena, "not measured: the spread between rounds is %.1f %%, so %s; %s",
                                   problem->spread_pct, what_rounds_give(known, problem, arena),
                                   what_helps(known, needed, arena)));
    item->spread_pct = problem->spread_pct;
    item->smallest_detectable_pct =
        rounds_needed_detectable_pct(problem->spread_pct / 100, known->round_count);
}

// The worst problem of a result by the calibration, and how many are known and how many cannot be certified.
struct survey {
    struct calibration_pooled worst;
    size_t known_count, refused_count, case_count;
};

static struct survey survey_make(const struct known *known, const struct result *result) {
    struct survey survey = {.worst = {.spread_pct = NAN}, .case_count = result->case_count};
    for (size_t i = 0; i < result->case_count; ++i) {
        struct calibration_pooled problem;
        if (!calibration_pool(&known->calibration, &known->conditions, result->cases[i].problem.name,
                              &problem) ||
            !calibration_is_measured(&problem))
            continue;
        ++survey.known_count;
        survey.refused_count += !calibration_certifies(&problem, known->threshold_pct, known->round_count);
        if (!(survey.worst.spread_pct >= problem.spread_pct)) survey.worst = problem;
    }
    return survey;
}

static const char *refusal_sentence(const struct known *known, const struct survey *survey,
                                    struct arena *arena) {
    const struct calibration_pooled *worst = &survey->worst;
    uint32_t needed = rounds_needed(worst->spread_pct / 100, known->threshold_pct);
    return arena_format(
        arena,
        "a threshold of %g %% is finer than this machine can certify on %zu of %zu problems; on %s "
        "(spread between rounds %.1f %%) %s; %s",
        known->threshold_pct, survey->refused_count, survey->case_count,
        str_or(worst->short_name, worst->name), worst->spread_pct, what_rounds_give(known, worst, arena),
        what_helps(known, needed, arena));
}

static void refuse(struct gate *gate, const struct known *known, const struct survey *survey,
                   struct decision *ret) {
    struct result *result = &gate->run.result;
    struct arena *arena = &result->arena;
    struct decision decision = family_empty("rounds");
    decision.regression_pct = gate->run.plan.gate.regression_pct;
    decision.improvement_pct = gate->run.plan.gate.improvement_pct;
    decision.case_count = result->case_count;
    decision.cases = arena_array(arena, result->case_count, sizeof *decision.cases);
    for (size_t i = 0; i < result->case_count; ++i) {
        struct calibration_pooled problem;
        decision.cases[i] = decision_case_named(&result->cases[i], arena);
        bool is_known = calibration_pool(&known->calibration, &known->conditions,
                                         result->cases[i].problem.name, &problem);
        if (is_known && !calibration_certifies(&problem, known->threshold_pct, known->round_count))
            refuse_case(known, &problem, arena, &decision.cases[i]);
    }
    family_summarize(&decision, arena);
    family_add_note(&decision, arena,
                    arena_format(arena,
                                 "nothing was measured: %s; --ignore-calibration measures all the same",
                                 refusal_sentence(known, survey, arena)));
    *ret = decision;
}

// Of the plan, not of the session: a run that is resumed says itself where it runs.
static int ask_planned_device(const struct gate *gate, struct arena *arena, struct device_identity *ret,
                              struct err *err) {
    const struct plan *plan = &gate->run.plan;
    const struct session planned = {.options = {.device = plan->device, .thread_count = plan->thread_count},
                                    .sim = plan->sim};
    return ask_device_identity(&planned, arena, ret, err);
}

// A resumed run whose first rounds were let through goes on.
static bool is_measured(const struct result *result) {
    for (size_t i = 0; i < result->case_count; ++i)
        if (result->cases[i].round_count) return true;
    return false;
}

int gate_calibration_refuse(struct gate *gate, struct decision *ret, bool *ret_is_refused, struct err *err) {
    *ret_is_refused = false;
    if (!has_rounds(gate) || gate->request.is_calibration_ignored || is_measured(&gate->run.result)) return 0;
    if (!calibration_store_has_any()) return 0;
    struct device_identity device;
    TRY(ask_planned_device(gate, &gate->run.result.arena, &device, err));
    struct known known;
    struct err unread = {0}; // said by the note: a broken file of an earlier day is no reason not to measure
    if (known_read(gate, &device, &known, &unread) <= 0) return 0;
    struct survey survey = survey_make(&known, &gate->run.result);
    if (survey.refused_count) {
        refuse(gate, &known, &survey, ret);
        *ret_is_refused = true;
    }
    calibration_fini(&known.calibration);
    return 0;
}

static const char *survey_sentence(const struct gate *gate, const struct known *known,
                                   const struct survey *survey, struct arena *arena) {
    if (survey->known_count == 0)
        return "none of these problems was calibrated on this device with this driver, regime and cache "
               "mode: "
               "'assay calibrate' measures what the machine can certify";
    if (survey->refused_count)
        return arena_format(arena, "%s by the calibration, %s",
                            gate->request.is_calibration_ignored
                                ? "measured all the same (--ignore-calibration):"
                                : "measured, but",
                            refusal_sentence(known, survey, arena));
    return arena_format(
        arena,
        "calibrated: on %s %u rounds certify %.2g %% (worst problem: %s, spread between rounds %.2g %%)",
        survey->known_count == survey->case_count
            ? "all problems"
            : arena_format(arena, "%zu of %zu problems", survey->known_count, survey->case_count),
        (unsigned)known->round_count,
        rounds_needed_detectable_pct(survey->worst.spread_pct / 100, known->round_count),
        str_or(survey->worst.short_name, survey->worst.name), survey->worst.spread_pct);
}

int gate_calibration_note(struct gate *gate, struct decision *decision, struct err *err) {
    (void)err;
    struct result *result = &gate->run.result;
    const struct environment *environment = &result->environment;
    if (!has_rounds(gate) || !environment->device_uuid) return 0;
    struct known known;
    struct err unread = {0};
    const struct device_identity device = {environment->device_uuid, environment->driver,
                                           environment->thread_count};
    int code = known_read(gate, &device, &known, &unread);
    const char *sentence;
    if (code < 0) {
        sentence = arena_format(&result->arena, "warning: the calibration was not used: %s", unread.text);
    } else if (code == 0) {
        sentence = "this device is not calibrated: 'assay calibrate' measures what it can certify";
    } else {
        struct survey survey = survey_make(&known, result);
        sentence = survey_sentence(gate, &known, &survey, &result->arena);
    }
    family_add_note(decision, &result->arena, sentence);
    calibration_fini(&known.calibration);
    return 0;
}
