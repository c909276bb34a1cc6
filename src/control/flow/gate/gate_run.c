// SPDX-License-Identifier: Apache-2.0
//
// See gate_run.h. The order of things: build, compare machine code, check matrix, rounds with looks, family,
// result.
#include "control/flow/gate/gate_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/flow/ceilings.h"
#include "control/flow/gate/gate_calibration.h"
#include "control/flow/gate/gate_family.h"
#include "control/flow/gate/gate_rerun.h"
#include "control/flow/run_plan.h"
#include "control/flow/worker_query.h"
#include "control/plan/sim_shipped.h"
#include "control/verdict/classic/classic.h"
#include "control/verdict/family.h"
#include "control/verdict/gate_rule.h"
#include "control/verdict/rounds/rounds.h"

#define TWO_PROCESSES_NOTE                                                                                   \
    "The sides were measured in separate processes: a module has unique symbols (static variables of C++ "   \
    "templates), or registers names in Python, which two revisions in one process would share."

static const char *candidate_name(const struct gate *gate) {
    if (gate->request.candidate) return gate->request.candidate;
    return session_default_kernel(&gate->session);
}

// A revision, a file and what is no kernel of the manifest may be; the others say.
static bool is_for_device(const struct session *session, const char *name) {
    const struct manifest_kernel *kernel;
    const bool is_known = name && manifest_get_kernel(&session->manifest, name, &kernel, NULL) == 0;
    return !is_known || session_kernel_fits(session, kernel);
}

// The manifest's baseline belongs to the manifest's candidate. A simulated device that the manifest has no
// candidate for is gated with its default kernel: against itself that is an A/A study, which equal scripts
// must not cut short.
static const char *baseline_name(struct gate *gate, const char *candidate) {
    const struct session *session = &gate->session;
    if (gate->request.baseline) return gate->request.baseline;
    if (!session->sim || str_equal(candidate, session->manifest.gate.candidate))
        return is_for_device(session, session->manifest.gate.baseline) ? session->manifest.gate.baseline
                                                                       : NULL;
    const char *baseline = session_default_kernel(session);
    if (str_equal(baseline, candidate)) gate->request.is_same_measured = true;
    return baseline;
}

static int open_stored(struct gate *gate, const char *path, struct err *err) {
    TRY(result_read_file(path, &gate->stored, err));
    gate->stored_path = path;
    gate->is_stored_baseline = true;
    return 0;
}

static bool has_kernel(const struct session *session, const char *name) {
    const struct manifest_kernel *kernel;
    if (manifest_get_kernel(&session->manifest, name, &kernel, NULL) == 0) return true;
    return session->sim ? sim_shipped_kernel_find(name) != NULL
                        : file_exists(name) && query_is_linked_in(name);
}

// A kernel's name means the kernel, whatever lies in the working folder.
static bool is_file_spec(const struct session *session, const char *spec) {
    if (has_kernel(session, spec)) return false;
    return str_ends(spec, ".json") || strchr(spec, '/') != NULL || file_exists(spec);
}

static int add_sides(struct gate *gate, struct err *err) {
    struct session *session = &gate->session;
    const char *candidate = candidate_name(gate);
    const char *baseline = baseline_name(gate, candidate);
    if (!candidate && !session->options.module)
        return err_set(
            err, ERR_USAGE, "which kernel is on trial? Name it with --candidate, or as gate.candidate in %s",
            session->has_manifest ? session->manifest.path : "a manifest ('assay init' writes one)");
    if (!baseline)
        return err_set(err, ERR_USAGE,
                       "against what? Give --baseline a kernel, git:REV, git:merge-base or a result file");
    if (!revision_is_spec(baseline) && is_file_spec(session, baseline)) {
        TRY(open_stored(gate, baseline, err));
    } else {
        gate->base_side = (uint32_t)session->side_count;
        int code = session_add_side(session, SIDE_BASELINE, baseline, candidate, err);
        // The revision is there, and cannot be built: its manifest is broken, or has no such kernel.
        if (code < 0 && session->sides[gate->base_side].revision.dir)
            gate->stage = GATE_STAGE_BASELINE_BROKEN;
        if (code < 0) return code;
    }
    gate->cand_side = (uint32_t)session->side_count;
    return session_add_side(session, SIDE_CANDIDATE, session->options.module ? NULL : candidate, candidate,
                            err);
}

// Two sides of one kernel would carry one name: say which is the edit.
static void label_sides(struct gate *gate) {
    if (gate->is_stored_baseline) return;
    struct result_side *base = &gate->session.sides[gate->base_side].side;
    struct result_side *cand = &gate->session.sides[gate->cand_side].side;
    if (!str_equal(base->label, cand->label)) return;
    base->label = arena_format(&gate->session.arena, "%s (baseline)", base->label);
    cand->label = arena_format(&gate->session.arena, "%s (candidate)", cand->label);
}

int gate_open(struct gate *gate, const struct gate_request *request, struct err *err) {
    *gate = (struct gate){.request = *request};
    TRY(session_open(&gate->session, &request->session, err));
    if (request->session.resume) {
        gate->cand_side = 1;
        gate->stage = GATE_STAGE_READY;
        return 0;
    }
    TRY(add_sides(gate, err));
    size_t side = 0;
    int code = session_build(&gate->session, &side, err);
    if (code < 0) {
        // Refused by the compiler, without its source or output, or built to something that cannot be loaded.
        bool is_baseline = side != gate->cand_side;
        if (err->code == ERR_BUILD || err->code == ERR_NO_INPUT || err->code == ERR_DATA)
            gate->stage = is_baseline ? GATE_STAGE_BASELINE_BROKEN : GATE_STAGE_CANDIDATE_BROKEN;
        return code;
    }
    label_sides(gate);
    gate->stage = GATE_STAGE_READY;
    return 0;
}

_Static_assert(PLAN_GATE_LOOK_STEP == ROUNDS_LOOK_STEP && PLAN_GATE_LOOK_COUNT == ROUNDS_LOOK_COUNT,
               "a plan holds the looks of the rule");

static void set_looks(struct plan *plan, uint32_t fixed_round_count) {
    if (fixed_round_count) {
        plan->look_count = 1;
        plan->looks[0] = fixed_round_count;
        return;
    }
    plan->is_sequential = true;
    plan->look_count = ROUNDS_LOOK_COUNT;
    for (uint32_t i = 0; i < ROUNDS_LOOK_COUNT; ++i) plan->looks[i] = ROUNDS_LOOK_STEP * (i + 1);
}

int gate_check_threshold(const char *option, double pct, struct err *err) {
    if (isnan(pct) || (pct > 0 && pct < 100)) return 0;
    return err_set(err, ERR_USAGE, "--%s %g: a threshold lies between 0 and 100 per cent", option, pct);
}

static int check_numbers(const struct gate_request *request, struct err *err) {
    TRY(gate_check_threshold("regression", request->regression_pct, err));
    TRY(gate_check_threshold("improvement", request->improvement_pct, err));
    uint32_t rounds = request->fixed_round_count;
    if (rounds && (rounds < ROUNDS_LOOK_STEP || rounds > ROUNDS_LIMIT))
        return err_set(err, ERR_USAGE, "--rounds takes %d to %d: fewer cannot certify anything",
                       ROUNDS_LOOK_STEP, ROUNDS_LIMIT);
    return 0;
}

static bool is_listed(const char *list, const char *name) {
    size_t length = name ? strlen(name) : 0;
    for (const char *at = list; length && at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0) return true;
    return false;
}

// Every problem that a claim names must be one that is measured: said now, not after minutes of measuring.
static int check_expected(const struct suite *suite, const char *expected, struct err *err) {
    size_t named = 1, found = 0;
    for (const char *at = expected; *at; ++at) named += *at == ',';
    for (size_t i = 0; i < suite->item_count; ++i)
        found += is_listed(expected, suite->items[i].short_name) ||
                 is_listed(expected, suite->items[i].problem.name);
    if (found == named) return 0;
    return err_set(err, ERR_USAGE,
                   "--expect improvement:%s names a problem that suite %s does not have; "
                   "'assay list problems --suite %s' shows them",
                   expected, suite->name, suite->name);
}

static int set_expectation(struct plan *plan, const struct suite *suite, const char *expect,
                           struct err *err) {
    if (!expect) return 0;
    struct gate_options rule = {.kind = GATE_GATE};
    TRY(gate_rule_parse_expect(expect, &plan->arena, &rule, err));
    plan->gate.is_improvement_expected = rule.expects_improvement;
    plan->gate.expected_problems = rule.expected_problems;
    return plan->gate.expected_problems ? check_expected(suite, plan->gate.expected_problems, err) : 0;
}

// Thresholds, problems, looks: everything but the correctness matrix.
static int plan_measurement(struct gate *gate, struct plan *ret, struct err *err) {
    struct session *session = &gate->session;
    const struct gate_request *request = &gate->request;
    TRY(check_numbers(request, err));
    if (isfinite(request->regression_pct)) ret->gate.regression_pct = request->regression_pct;
    if (isfinite(request->improvement_pct)) ret->gate.improvement_pct = request->improvement_pct;
    struct suite suite;
    TRY(session_suite(session, session_gate_suite(session), &suite, err));
    run_plan_add_suite(ret, &suite, false);
    TRY(set_expectation(ret, &suite, request->expect, err));
    ret->check_side_mask = 1u << gate->cand_side;
    ret->gate.is_removed_allowed = request->is_removed_allowed;
    if (gate->is_stored_baseline) {
        ret->gate.stored_baseline = arena_strdup(&ret->arena, gate->stored_path);
        return 0;
    }
    set_looks(ret, request->fixed_round_count);
    run_plan_set_round_sampling(ret, session);
    ret->gate.is_same_code =
        !request->is_same_measured && session_is_same_code(session, gate->base_side, gate->cand_side);
    return gate_compare_suites(session, gate->base_side, &suite, ret, err);
}

int gate_plan(struct gate *gate, struct plan *ret, struct err *err) {
    struct session *session = &gate->session;
    run_plan_init(ret, session, "gate");
    TRY(plan_measurement(gate, ret, err));
    if (!ret->gate.is_same_code && !gate->request.is_check_skipped) {
        const char *check =
            gate->request.check_suite ? gate->request.check_suite : session_gate_check(session);
        struct suite matrix;
        TRY(suite_resolve(&session->manifest, check, NULL, &session->arena, &matrix, err));
        run_plan_add_suite(ret, &matrix, true);
    }
    gate_rerun_plan(gate, ret);
    return 0;
}

int gate_start(struct gate *gate, struct plan *plan, const struct run_callbacks *callbacks, struct err *err) {
    TRY(run_open(&gate->run, &gate->session, plan, callbacks, err));
    const struct plan *made = &gate->run.plan;
    if (gate->run.is_resumed && made->gate.stored_baseline) {
        TRY(open_stored(gate, made->gate.stored_baseline, err));
        gate->cand_side = 0;
    }
    return 0;
}

// The run's time being over is no error of a gate: it decides with what there is. Else the code as it is.
static int allow_time_over(struct gate *gate, int code, const struct err *err) {
    struct run *run = &gate->run;
    if (code == 0 || !run->executor.is_over_limit) return code;
    gate->time_over = arena_strdup(&run->result.arena, err->text);
    return 0;
}

static int decide_stored(struct gate *gate, struct decision *decision, struct err *err) {
    struct run *run = &gate->run;
    if (!gate->time_over) TRY(allow_time_over(gate, executor_run_rounds(&run->executor, 1, err), err));
    ceilings_add_to(&run->result);
    struct classic_options options = classic_options_default();
    options.regression_pct = run->plan.gate.regression_pct;
    options.improvement_pct = run->plan.gate.improvement_pct;
    uint32_t stored_side = 0;
    TRY(classic_side_find(&gate->stored, gate->stored.side_count > 1 ? run->plan.sides[0].kernel : NULL,
                          &stored_side, err));
    struct classic_side base = {&gate->stored, stored_side}, cand = {&run->result, gate->cand_side};
    return verdict_classic(base, cand, &options, &run->result.arena, decision, err);
}

// Look after look until every problem is decided; problems that are decided are not measured again.
static int decide_rounds(struct gate *gate, struct decision *decision, struct err *err) {
    struct run *run = &gate->run;
    const struct rounds_sides sides = {gate->base_side, gate->cand_side};
    struct rounds_options options = rounds_options_default();
    options.regression_pct = run->plan.gate.regression_pct;
    options.improvement_pct = run->plan.gate.improvement_pct;
    options.fixed_round_count = run->plan.is_sequential ? 0 : run->plan.looks[0];
    options.wants_improvement = run->plan.gate.is_improvement_expected;
    bool *is_closed = mem_alloc(run->plan.case_count * sizeof *is_closed);
    run->executor.closed_cases = is_closed;
    int code = 0;
    for (size_t look = 0; code == 0 && look < run->plan.look_count; ++look) {
        if (!gate->time_over)
            code =
                allow_time_over(gate, executor_run_rounds(&run->executor, run->plan.looks[look], err), err);
        options.is_out_of_time = gate->time_over != NULL;
        options.is_final = options.is_out_of_time || look + 1 == run->plan.look_count;
        ceilings_add_to(&run->result);
        if (code == 0)
            code = verdict_rounds(&run->result, sides, &options, &run->result.arena, decision, err);
        if (code < 0 || options.is_final || !rounds_open_count(decision)) break;
        for (size_t i = 0; i < decision->case_count; ++i)
            is_closed[i] = !rounds_case_is_open(&decision->cases[i]);
    }
    run->executor.closed_cases = NULL;
    free(is_closed);
    return code;
}

static int decide_measured(struct gate *gate, struct decision *decision, struct err *err) {
    struct run *run = &gate->run;
    if (gate->is_stored_baseline)
        TRY(decide_stored(gate, decision, err));
    else
        TRY(decide_rounds(gate, decision, err));
    if (gate->time_over) family_add_note(decision, &run->result.arena, gate->time_over);
    gate_calibration_note(gate, decision);
    return 0;
}

// What is left to say of a decision once the rule has spoken, whichever way it came about.
static int conclude(struct gate *gate, bool is_refused, struct decision *decision, struct err *err) {
    struct run *run = &gate->run;
    struct arena *arena = &run->result.arena;
    gate_note_added(decision, run->plan.gate.added_problems, arena);
    gate_add_removed(decision, run->plan.gate.removed_problems, arena);
    if (run->plan.needs_two_processes) family_add_note(decision, arena, TWO_PROCESSES_NOTE);
    // A claim that was never put to the test has not failed.
    bool is_unfit = decision->case_count && decision->counts[VERDICT_NOT_VALID] == decision->case_count;
    bool is_untried = is_refused || is_unfit || (gate->time_over && decision->round_count == 0);
    const struct gate_options rule = {
        .kind = GATE_GATE,
        .allows_removed = run->plan.gate.is_removed_allowed || gate->request.is_removed_allowed,
        .expects_improvement = run->plan.gate.is_improvement_expected && !is_untried,
        .expected_problems = run->plan.gate.expected_problems,
    };
    const struct gate_events events = {
        .result = &run->result,
        .cand_side = gate->cand_side,
        .is_refused = is_refused,
        .is_out_of_time = gate->time_over != NULL,
        .is_stored_baseline = gate->is_stored_baseline,
    };
    TRY(gate_rule_apply(&rule, &events, arena, decision, err));
    gate_rerun_note(gate, is_refused, decision);
    return 0;
}

int gate_decide(struct gate *gate, struct err *err) {
    struct run *run = &gate->run;
    struct decision *decision = arena_alloc(&run->result.arena, sizeof *decision);
    bool is_refused = false;
    TRY(gate_calibration_refuse(gate, decision, &is_refused, err));
    // Whether the candidate is right does not depend on how quiet the machine is.
    TRY(allow_time_over(gate, executor_run_checks(&run->executor, err), err));
    if (run->plan.gate.is_same_code)
        *decision = gate_rule_same_code(&run->result, gate->base_side, gate->cand_side, &run->result.arena);
    else if (!is_refused)
        TRY(decide_measured(gate, decision, err));
    TRY(conclude(gate, is_refused, decision, err));
    run->result.decision = decision;
    gate->stage = GATE_STAGE_DECIDED;
    return run_write_result(run, err);
}

int gate_close(struct gate *gate, struct err *err) {
    const int code = run_close(&gate->run, err);
    result_fini(&gate->stored);
    session_close(&gate->session);
    *gate = (struct gate){0};
    return code;
}
