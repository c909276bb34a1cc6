// SPDX-License-Identifier: Apache-2.0
//
// See calibrate_run.h.
#include "control/flow/calibrate/calibrate_run.h"

#include <math.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "control/flow/calibration_store.h"
#include "control/flow/gate/gate_run.h"
#include "control/flow/history_keep.h"
#include "control/flow/run_plan.h"
#include "control/flow/worker_query.h"
#include "report/result/case_lines.h"
#include "verdict/rounds/rounds.h"

static const struct rounds_sides sides = {.base = 0, .cand = 1};

int calibrate_open(struct calibrate *calibrate, const struct calibrate_request *request, struct err *err) {
    *calibrate = (struct calibrate){.request = *request};
    TRY(gate_spec_check(&request->spec, err));
    if (request->round_count < ROUNDS_LOOK_STEP || request->round_count > ROUNDS_LIMIT)
        return err_set(err, ERR_USAGE,
                       "--rounds takes %d to %d: fewer say nothing about the spread between them",
                       ROUNDS_LOOK_STEP, ROUNDS_LIMIT);
    if (request->run_count < 1 || request->run_count > CALIBRATE_RUNS_MAX)
        return err_set(err, ERR_USAGE, "--runs takes 1 to %d: as many studies are kept per device",
                       CALIBRATE_RUNS_MAX);
    if (request->session.resume && request->run_count > 1)
        return err_set(err, ERR_USAGE, "--resume goes on with one run; --runs does not go with it");
    struct session *session = &calibrate->session;
    TRY(session_open(session, &request->session, err));
    if (request->session.resume) return 0;
    const char *kernel = session->options.module ? NULL : session_default_kernel(session);
    if (!kernel && !session->options.module)
        return err_set(
            err, ERR_USAGE,
            "which kernel is measured against itself? Name one with --kernel ('naive' is always there)");
    TRY(session_add_side(session, SIDE_BASELINE, kernel, kernel, err));
    TRY(session_add_side(session, SIDE_CANDIDATE, kernel, kernel, err));
    TRY(session_build(session, NULL, err));
    struct result_side *base = &session->sides[sides.base].spec, *cand = &session->sides[sides.cand].spec;
    base->label = arena_format(&session->arena, "%s (A)", base->label);
    cand->label = arena_format(&session->arena, "%s (B)", cand->label);
    return 0;
}

int calibrate_plan(struct calibrate *calibrate, uint32_t number, struct plan *ret, struct err *err) {
    struct session *session = &calibrate->session;
    struct suite suite;
    TRY(session_suite(session, session_gate_suite(session, &session->manifest), &suite, err));
    if (suite.item_count > CALIBRATION_PROBLEMS_MAX)
        return err_set(err, ERR_USAGE, "suite %s has %zu problems; a study holds %d", suite.name,
                       suite.item_count, CALIBRATION_PROBLEMS_MAX);
    run_plan_init(ret, session, "calibrate");
    ret->seed += number;
    ret->looks[0] = calibrate->request.round_count;
    gate_spec_override(&ret->gate.spec, &calibrate->request.spec);
    run_plan_set_round_sampling(ret, session);
    return run_plan_add_cases(ret, &suite, err);
}

// ---- one run ----

// A kernel that gives wrong results cannot be calibrated.
static const char *find_failure(const struct result *result, struct arena *arena) {
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct result_case *item = &result->cases[i];
        enum outcome outcome = result_case_outcome(item, sides.base);
        uint32_t side = sides.base;
        if (outcome == OUTCOME_OK || outcome == OUTCOME_NOT_VALID)
            outcome = result_case_outcome(item, side = sides.cand);
        if (!outcome_is_wrong(outcome)) continue;
        const char *words = check_text(&item->checks[side], arena);
        return arena_format(arena, "%s: %s%s%s", result_case_name(item), outcome_name(outcome),
                            *words ? ": " : "", words);
    }
    return NULL;
}

// Stores the study. Sets calibrate->wanted: the plan's problems, under the conditions of this study.
static int store(struct calibrate *calibrate, const struct run *run, const struct calibration_study *study,
                 struct err *err) {
    struct arena *arena = &calibrate->arena;
    const struct plan *plan = &run->plan;
    const char **names = arena_array(arena, plan->case_count, sizeof *names);
    const char **short_names = arena_array(arena, plan->case_count, sizeof *short_names);
    for (size_t i = 0; i < plan->case_count; ++i) {
        char key[PROBLEM_KEY_BYTES];
        names[i] =
            arena_strdup(arena, problem_key(&plan->cases[i].problem, plan->cases[i].distribution, key));
        short_names[i] = arena_strdup(arena, plan->cases[i].short_name);
    }
    calibrate->wanted = (struct calibration_wanted){.count = plan->case_count,
                                                    .names = names,
                                                    .short_names = short_names,
                                                    .conditions = calibration_conditions_of(study)};
    const struct environment *environment = &run->result.environment;
    if (!environment->device_uuid)
        return err_set(err, ERR_UNAVAILABLE,
                       "device '%s' does not say which one it is, so its calibration cannot be kept",
                       plan->device);
    calibration_fini(&calibrate->calibration);
    int code = calibration_store_add(environment, study, 1, &calibrate->calibration, err);
    if (code < 0) {
        struct err why = *err;
        return err_set(
            err, why.code,
            "%s; what was measured is kept: 'assay calibrate --resume %s' stores it without measuring again",
            why.text, plan->run_id);
    }
    char *path = calibration_store_path(environment->device_uuid, environment->thread_count);
    calibrate->store_path = arena_strdup(arena, path);
    free(path);
    return 0;
}

static int measure_run(struct calibrate *calibrate, struct run *run, struct err *err) {
    struct arena *arena = &calibrate->arena;
    TRY(executor_run_rounds(&run->executor, run->plan.looks[0], err));
    TRY(run_write_result(run, err));
    history_keep(&calibrate->session, &run->result, &calibrate->history_warning);
    calibrate->results_path = arena_strdup(arena, run->dir);
    calibrate->failure = find_failure(&run->result, arena);
    if (calibrate->failure) return 0;
    calibrate->rule = rounds_options_default();
    calibrate->rule.spec = run->plan.gate.spec;
    struct calibration_study study;
    TRY(calibration_study_make(&run->result, sides, arena, &study, err));
    study.round_count = run->plan.looks[0];
    study.is_simulated = run->plan.sim != NULL;
    study = calibration_study_copy(&study, arena);
    calibrate->studies[calibrate->run_count++] = study;
    return store(calibrate, run, &study, err);
}

static int run_once(struct calibrate *calibrate, uint32_t number, const struct run_callbacks *callbacks,
                    calibrate_run_fn on_run, struct err *err) {
    struct plan plan = {0};
    struct run run = {0};
    int code = 0;
    if (!calibrate->request.session.resume) code = calibrate_plan(calibrate, number, &plan, err);
    if (code == 0) code = run_open(&run, &calibrate->session, &plan, callbacks, err);
    if (code == 0 && number == 0) code = query_device_is_there(&run.plan, err);
    // A stored calibration that cannot be read is reported before an hour of measuring. If nothing is stored
    // at all, no worker is started to identify the device.
    if (code == 0 && number == 0 && calibration_store_has_any()) {
        struct device_identity device;
        struct calibration stored = {0};
        code = query_device_identity(&run.plan, &calibrate->arena, &device, err);
        if (code == 0) code = calibration_store_read(device.uuid, device.thread_count, &stored, err);
        calibration_fini(&stored);
        if (code == CALIBRATION_STORED) code = 0;
    }
    if (code == 0 && on_run) on_run(callbacks->arg, &run.plan, number);
    if (code == 0) code = measure_run(calibrate, &run, err);
    struct err held = {0};
    if (run_close(&run, &held) < 0 && code == 0) code = err_set(err, held.code, "%s", held.text);
    plan_fini(&plan);
    return code;
}

int calibrate_measure(struct calibrate *calibrate, const struct run_callbacks *callbacks,
                      calibrate_run_fn on_run, struct err *err) {
    uint32_t count = calibrate->request.run_count;
    calibrate->studies = arena_array(&calibrate->arena, count, sizeof *calibrate->studies);
    for (uint32_t i = 0; i < count && !calibrate->failure; ++i)
        TRY(run_once(calibrate, i, callbacks, on_run, err));
    return 0;
}

// ---- the summary ----

int calibrate_conclude(struct calibrate *calibrate, struct err *err) {
    return calibration_summarize(&calibrate->calibration, &calibrate->wanted, &calibrate->rule,
                                 &calibrate->arena, &calibrate->summary, err);
}

struct calibration_report calibrate_report(struct calibrate *calibrate) {
    const struct calibration *calibration = &calibrate->calibration;
    struct calibration_report report = {.calibration = calibration,
                                        .summary = &calibrate->summary,
                                        .study_count = calibrate->run_count,
                                        .studies = calibrate->studies,
                                        .store_path = calibrate->store_path,
                                        .results_path = calibrate->results_path};
    for (size_t i = 0; i < calibration->study_count; ++i) {
        const struct calibration_study *study = &calibration->studies[i];
        bool is_earlier = calibration_study_is_of(study, &calibrate->wanted.conditions);
        for (size_t k = 0; k < calibrate->run_count; ++k)
            is_earlier &= !str_equal(calibrate->studies[k].run_id, study->run_id);
        report.earlier_count += is_earlier;
    }
    return report;
}

void calibrate_close(struct calibrate *calibrate) {
    calibration_fini(&calibrate->calibration);
    session_close(&calibrate->session);
    arena_fini(&calibrate->arena);
    *calibrate = (struct calibrate){0};
}
