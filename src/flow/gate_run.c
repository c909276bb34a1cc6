// SPDX-License-Identifier: Apache-2.0
//
// See gate_run.h. The order of things: build, compare machine code, check matrix, rounds with looks, family, result.
#include "flow/gate_run.h"

#include "base/file.h"
#include "base/mem.h"
#include "flow/gate_family.h"
#include "verdict/classic.h"
#include "verdict/family.h"
#include "verdict/gate_rule.h"
#include "verdict/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PROCESSES_NOTE                                                                                         \
    "The sides were measured in separate processes: a module has unique symbols (static variables of C++ "         \
    "templates), which two revisions in one process would share."

static const char *candidate_name(const struct gate *gate) {
    if (gate->request.candidate) return gate->request.candidate;
    return session_default_kernel(&gate->session);
}

static int open_stored(struct gate *gate, const char *path, struct err *err) {
    TRY(result_read_file(path, &gate->stored, err));
    gate->stored_path = path;
    gate->is_stored_baseline = true;
    return 0;
}

static bool is_file_spec(const char *spec) { return str_ends(spec, ".json") || strchr(spec, '/') != NULL; }

static int add_sides(struct gate *gate, struct err *err) {
    struct session *session = &gate->session;
    const char *candidate = candidate_name(gate);
    const char *baseline = gate->request.baseline ? gate->request.baseline : session->manifest.gate.baseline;
    if (!candidate && !session->options.module)
        return err_set(err, ERR_USAGE, "which kernel is on trial? Name it with --candidate, or as gate.candidate in %s",
                       session->has_manifest ? session->manifest.path : "a manifest ('assay init' writes one)");
    if (!baseline)
        return err_set(err, ERR_USAGE, "against what? Give --baseline a kernel, git:REV, git:merge-base or a result file");
    if (!revision_is_spec(baseline) && is_file_spec(baseline)) {
        TRY(open_stored(gate, baseline, err));
    } else {
        gate->base_side = (uint32_t)session->side_count;
        TRY(session_add_side(session, SIDE_BASELINE, baseline, candidate, err));
    }
    gate->cand_side = (uint32_t)session->side_count;
    return session_add_side(session, SIDE_CANDIDATE, session->options.module ? NULL : candidate, candidate, err);
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
        // A source that a revision does not have, or a build that leaves no output, is a baseline that does not build.
        bool is_baseline = side != gate->cand_side;
        if (err->code == ERR_BUILD || (is_baseline && err->code == ERR_NO_INPUT))
            gate->stage = is_baseline ? GATE_STAGE_BASELINE_BROKEN : GATE_STAGE_CANDIDATE_BROKEN;
        return code;
    }
    label_sides(gate);
    gate->stage = GATE_STAGE_READY;
    return 0;
}

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

static int set_expectation(struct plan *plan, const char *expect, struct err *err) {
    if (!expect) return 0;
    struct gate_options rule = {.kind = GATE_GATE};
    TRY(gate_rule_parse_expect(expect, &plan->arena, &rule, err));
    plan->is_improvement_expected = rule.expects_improvement;
    plan->expected_problems = rule.expected_problems;
    return 0;
}

// Rounds take few samples each: the rule counts rounds. --iters given by the user stands.
static void set_round_sampling(struct plan *plan, const struct session_options *options) {
    struct sampling defaults = sampling_default();
    if (options->sampling.sample_count != defaults.sample_count) return;
    plan->sampling.sample_count = 20;
    plan->sampling.sample_count_noisy = 50;
    plan->sampling.sample_count_noisier = 100;
}

int gate_plan(struct gate *gate, struct plan *ret, struct err *err) {
    struct session *session = &gate->session;
    const struct gate_request *request = &gate->request;
    run_plan_init(ret, session, "gate");
    TRY(set_expectation(ret, request->expect, err));
    if (isfinite(request->regression_pct)) ret->regression_pct = request->regression_pct;
    if (isfinite(request->improvement_pct)) ret->improvement_pct = request->improvement_pct;
    struct suite suite;
    const char *fallback = session->manifest.gate.suite ? session->manifest.gate.suite : "cpu";
    TRY(session_suite(session, fallback, &suite, err));
    run_plan_add_suite(ret, &suite, false);
    ret->check_side_mask = 1u << gate->cand_side;
    if (gate->is_stored_baseline) {
        ret->stored_baseline = arena_strdup(&ret->arena, gate->stored_path);
    } else {
        set_looks(ret, request->fixed_round_count);
        set_round_sampling(ret, &session->options);
        ret->is_same_code =
            !request->is_same_measured && session_is_same_code(session, gate->base_side, gate->cand_side);
        TRY(gate_find_removed(session, gate->base_side, &suite, ret, err));
    }
    if (ret->is_same_code || request->is_check_skipped) return 0;
    const char *check = request->check_suite ? request->check_suite : session->manifest.gate.check;
    struct suite matrix;
    TRY(suite_resolve(&session->manifest, check ? check : "fuzz", NULL, &session->arena, &matrix, err));
    run_plan_add_suite(ret, &matrix, true);
    return 0;
}

int gate_start(struct gate *gate, struct plan *plan, const struct run_callbacks *callbacks, struct err *err) {
    TRY(run_open(&gate->run, &gate->session, plan, callbacks, err));
    const struct plan *made = &gate->run.plan;
    if (!str_equal(made->command, "gate"))
        return err_set(err, ERR_USAGE, "run %s is a %s, not a gate; resume it with 'assay %s --resume'", made->run_id,
                       made->command, made->command);
    if (gate->run.is_resumed && made->stored_baseline) {
        TRY(open_stored(gate, made->stored_baseline, err));
        gate->cand_side = 0;
    }
    return 0;
}

static int decide_stored(struct gate *gate, struct decision *decision, struct err *err) {
    struct run *run = &gate->run;
    TRY(executor_run_rounds(&run->executor, 1, err));
    struct classic_options options = classic_options_default();
    options.regression_pct = run->plan.regression_pct;
    options.improvement_pct = run->plan.improvement_pct;
    uint32_t stored_side = 0;
    TRY(classic_side_find(&gate->stored, gate->stored.side_count > 1 ? run->plan.sides[0].kernel : NULL, &stored_side, err));
    struct classic_side base = {&gate->stored, stored_side}, cand = {&run->result, gate->cand_side};
    TRY(verdict_classic(base, cand, &options, &run->result.arena, decision, err));
    return 0;
}

// Look after look until every problem is decided; problems that are decided are not measured again.
static int decide_rounds(struct gate *gate, struct decision *decision, struct err *err) {
    struct run *run = &gate->run;
    struct rounds_options options = rounds_options_default();
    options.regression_pct = run->plan.regression_pct;
    options.improvement_pct = run->plan.improvement_pct;
    options.fixed_round_count = run->plan.is_sequential ? 0 : run->plan.looks[0];
    options.wants_improvement = run->plan.is_improvement_expected;
    bool *is_closed = mem_alloc(run->plan.case_count * sizeof *is_closed);
    run->executor.closed_cases = is_closed;
    int code = 0;
    for (size_t look = 0; code == 0 && look < run->plan.look_count; ++look) {
        options.is_final = look + 1 == run->plan.look_count;
        code = executor_run_rounds(&run->executor, run->plan.looks[look], err);
        if (code == 0)
            code = verdict_rounds(&run->result, (struct rounds_sides){gate->base_side, gate->cand_side}, &options,
                                  &run->result.arena, decision, err);
        if (code < 0 || !rounds_open_count(decision)) break;
        for (size_t i = 0; i < decision->case_count; ++i) is_closed[i] = !rounds_case_is_open(&decision->cases[i]);
    }
    run->executor.closed_cases = NULL;
    free(is_closed);
    return code;
}

int gate_decide(struct gate *gate, struct err *err) {
    struct run *run = &gate->run;
    struct decision *decision = arena_alloc(&run->result.arena, sizeof *decision);
    if (run->plan.is_same_code) {
        *decision = gate_rule_same_code(&run->result, gate->base_side, gate->cand_side, &run->result.arena);
    } else {
        TRY(executor_run_checks(&run->executor, err));
        if (gate->is_stored_baseline) TRY(decide_stored(gate, decision, err));
        else TRY(decide_rounds(gate, decision, err));
    }
    gate_add_removed(decision, run->plan.removed_problems, &run->result.arena);
    if (run->plan.needs_two_processes) family_add_note(decision, &run->result.arena, TWO_PROCESSES_NOTE);
    struct gate_options rule = {
        .kind = GATE_GATE,
        .allows_removed = gate->request.is_removed_allowed,
        .expects_improvement = run->plan.is_improvement_expected,
        .expected_problems = run->plan.expected_problems,
        .is_stored_baseline = gate->is_stored_baseline,
    };
    TRY(gate_rule_apply(&rule, &run->result, gate->cand_side, &run->result.arena, decision, err));
    run->result.decision = decision;
    gate->stage = GATE_STAGE_DECIDED;
    return run_write_result(run, err);
}

void gate_close(struct gate *gate) {
    run_close(&gate->run);
    result_fini(&gate->stored);
    session_close(&gate->session);
    *gate = (struct gate){0};
}
