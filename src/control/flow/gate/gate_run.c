// SPDX-License-Identifier: Apache-2.0
//
// Runs a gate, in this order: build, compare machine code, check matrix, rounds with interim analyses,
// verdict over all problems, result.
#include "control/flow/gate/gate_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/mem.h"
#include "code_host/code_host.h"
#include "control/flow/ceilings.h"
#include "control/flow/gate/gate_internal.h"
#include "control/flow/gate/gate_metric.h"
#include "control/flow/profile/explain.h"
#include "control/flow/run_plan.h"
#include "control/flow/worker_query.h"
#include "control/plan/sim_shipped.h"
#include "report/result/case_lines.h"
#include "verdict/classic/classic.h"
#include "verdict/decision_make.h"
#include "verdict/gate_rule.h"
#include "verdict/ratchet_rule.h"
#include "verdict/rounds/rounds.h"

#define TWO_PROCESSES_NOTE                                                                                   \
    "The sides were measured in separate processes: a module has unique symbols (static variables of C++ "   \
    "templates), or registers names in Python, which two revisions in one process would share."

#define NOT_JUDGED "not judged: "

// The manifest's baseline applies only to the manifest's candidate; a kernel of the manifest must match the
// device, a revision or a file always does. On a simulated device without a candidate in the manifest, the
// default kernel is run against itself (A/A) and measured although the code is equal.
static const char *baseline_name(struct gate *gate, const char *candidate) {
    const struct session *session = &gate->session;
    const char *baseline = session->manifest.gate.baseline;
    if (gate->request.baseline) return gate->request.baseline;
    if (!session->sim || str_equal(candidate, session->manifest.gate.candidate)) {
        const struct manifest_kernel *kernel = session_kernel_named(session, baseline);
        return !kernel || session_kernel_fits(session, kernel) ? baseline : NULL;
    }
    baseline = session_default_kernel(session);
    if (str_equal(baseline, candidate)) gate->request.is_same_measured = true;
    return baseline;
}

static int open_stored(struct gate *gate, const char *path, struct err *err) {
    TRY(result_read_file(path, &gate->stored, err));
    gate->stored_path = path;
    gate->is_stored_baseline = true;
    return 0;
}

// A kernel's name means the kernel, even if there is a file of that name.
static bool is_file_spec(const struct session *session, const char *spec) {
    if (shipped_is_name(spec) || session_kernel_named(session, spec)) return false;
    if (session->sim ? sim_shipped_kernel_find(spec) != NULL : file_exists(spec) && query_is_linked_in(spec))
        return false;
    return str_ends(spec, ".json") || strchr(spec, '/') != NULL || file_exists(spec);
}

static int check_candidate(const struct session *session, const char *candidate, struct err *err) {
    if (candidate || session->options.module) return 0;
    return session_fail_unnamed(session, "which kernel is on trial?", "--candidate", err);
}

// A revision that exists is broken if its manifest cannot be used, or has no such kernel. A kernel that the
// working tree does not have either is an error of usage, in the working tree's words. Returns the code.
static int judge_revision(struct gate *gate, int code, uint32_t side, const char *kernel, struct err *err) {
    struct session *session = &gate->session;
    const bool is_unknown = code == -ERR_USAGE, is_commit = gate->request.candidate_revision != NULL;
    struct err own = {0};
    if (code >= 0 || !session->sides[side].revision.dir) return code;
    if (is_unknown && kernel && !is_commit && session_check_kernel(session, kernel, &own) < 0)
        return err_set(err, own.code, "%s", own.text);
    if (is_unknown || code == -ERR_CONFIG || code == -ERR_DATA || code == -ERR_NO_INPUT)
        gate->stage = side == gate->base_side ? GATE_STAGE_BASELINE_BROKEN : GATE_STAGE_CANDIDATE_BROKEN;
    return code;
}

// *candidate: by the candidate's manifest; becomes that of the policy.
static int add_revision(struct gate *gate, const char *spec, const char **candidate, struct err *err) {
    struct session *session = &gate->session;
    const struct gate_request *request = &gate->request;
    const struct gate_policy_request asked = {
        .whose = request->policy,
        .candidate = request->candidate,
        .baseline = request->baseline,
        .check_suite = request->check_suite,
        .is_check_skipped = request->is_check_skipped,
        .metric = session->options.is_metric_given ? metric_name(session->options.sampling.metric) : NULL,
        .given = request->spec,
    };
    int code = session_add_revision(session, SIDE_BASELINE, spec, err);
    if (code == 0) {
        code = gate_policy_decide(session, gate->base_side, &asked, &gate->policy, err);
        if (gate->policy.is_kernel_removed) gate->stage = GATE_STAGE_KERNEL_REMOVED;
        if (code < 0) return code;
        *candidate = str_or(gate->policy.decides.candidate, *candidate);
        TRY(check_candidate(session, *candidate, err));
        TRY(shipped_refuse(*candidate, err));
        if (!*candidate)
            return err_set(err, ERR_USAGE, "%s: which kernel of it? Name one with --candidate", spec);
        code = session_set_revision_kernel(session, gate->base_side, *candidate, err);
    }
    return judge_revision(gate, code, gate->base_side, *candidate, err);
}

static int add_candidate_revision(struct gate *gate, const char *kernel, struct err *err) {
    struct session *session = &gate->session;
    int code = session_add_revision(session, SIDE_CANDIDATE, gate->request.candidate_revision, err);
    if (code == 0) code = session_set_revision_kernel(session, gate->cand_side, kernel, err);
    return judge_revision(gate, code, gate->cand_side, kernel, err);
}

// A kernel that the baseline's revision has and the working tree has not was removed.
static int add_candidate(struct gate *gate, const char *candidate, struct err *err) {
    struct session *session = &gate->session;
    const struct session_side *base = &session->sides[gate->base_side];
    if (gate->request.candidate_revision) return add_candidate_revision(gate, candidate, err);
    const char *named = session->options.module ? NULL : candidate;
    const int code = session_add_side(session, SIDE_CANDIDATE, named, candidate, err);
    if (code != -ERR_USAGE || !named || !base->has_manifest) return code; // a file's and a kernel's have none
    gate->stage = GATE_STAGE_KERNEL_REMOVED;
    return err_prefix(err, "%s has kernel '%s' for device %s, and the working tree has not",
                      base->revision_spec, named, session->options.device);
}

static int add_sides(struct gate *gate, struct err *err) {
    struct session *session = &gate->session;
    const char *candidate = str_or(gate->request.candidate, session_default_kernel(session));
    const char *baseline = baseline_name(gate, candidate);
    const bool is_revision = baseline && revision_is_spec(baseline);
    if (!is_revision) TRY(check_candidate(session, candidate, err));
    if (!baseline)
        return err_set(err, ERR_USAGE,
                       "against what? Give --baseline a kernel, git:REV, git:merge-base or a result file");
    if (gate->request.policy && !is_revision)
        return err_set(
            err, ERR_USAGE,
            "--policy is for a baseline git:REV, which has a manifest of its own; '%s' has none: leave "
            "--policy out",
            str_shown(baseline).text);
    gate->base_side = (uint32_t)session->side_count;
    if (is_revision)
        TRY(add_revision(gate, baseline, &candidate, err));
    else if (is_file_spec(session, baseline))
        TRY(open_stored(gate, baseline, err));
    else
        TRY(session_add_side(session, SIDE_BASELINE, baseline, candidate, err));
    gate->cand_side = (uint32_t)session->side_count;
    TRY(add_candidate(gate, candidate, err));
    // Both sides are builds of one kernel, and the policy says what it is compared by.
    for (size_t i = 0; is_revision && i < session->side_count; ++i)
        session->sides[i].spec.tolerance =
            own_tolerance_choose(&gate->policy.decides.tolerance, session->sides[i].spec.tolerance, NULL);
    return 0;
}

int gate_open(struct gate *gate, const struct gate_request *request, struct err *err) {
    *gate = (struct gate){.request = *request};
    TRY(gate_policy_check(request->policy, err));
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
        // The compiler rejects it, its source or output is missing, or the module cannot be loaded. That
        // there is no file --module names is an error of usage.
        const bool is_baseline = side != gate->cand_side;
        const bool is_misnamed = err->code == ERR_NO_INPUT && !is_baseline && request->session.module;
        if (!is_misnamed && (err->code == ERR_BUILD || err->code == ERR_NO_INPUT || err->code == ERR_DATA))
            gate->stage = is_baseline ? GATE_STAGE_BASELINE_BROKEN : GATE_STAGE_CANDIDATE_BROKEN;
        return code;
    }
    struct result_side *base = &gate->session.sides[gate->base_side].spec;
    struct result_side *cand = &gate->session.sides[gate->cand_side].spec;
    if (!gate->is_stored_baseline && str_equal(base->label, cand->label)) { // say which is the edit
        base->label = arena_format(&gate->session.arena, "%s (baseline)", base->label);
        cand->label = arena_format(&gate->session.arena, "%s (candidate)", cand->label);
    }
    gate->stage = GATE_STAGE_READY;
    return 0;
}

_Static_assert(PLAN_GATE_LOOK_STEP == ROUNDS_LOOK_STEP && PLAN_GATE_LOOK_COUNT == ROUNDS_LOOK_COUNT &&
                   PLAN_GATE_FIRST_LOOK == ROUNDS_FIRST_LOOK && PLAN_LOOKS_MAX >= ROUNDS_LOOKS_MAX,
               "a plan holds the looks of the rule");

static int plan_looks(const struct gate *gate, struct plan *ret, struct err *err) {
    const struct gate_request *request = &gate->request;
    const uint32_t fixed = request->fixed_round_count;
    if (fixed && (fixed < ROUNDS_LOOK_STEP || fixed > ROUNDS_LIMIT))
        return err_set(err, ERR_USAGE, "--rounds takes %d to %d: fewer decide nothing", ROUNDS_LOOK_STEP,
                       ROUNDS_LIMIT);
    const bool is_counted = metric_is_counted(ret->sampling.metric), is_early = request->first_look > 0;
    if (is_early && request->first_look != ROUNDS_FIRST_LOOK && request->first_look != ROUNDS_LOOK_STEP)
        return err_set(err, ERR_USAGE, "--first-look takes %d or %d, the default", ROUNDS_FIRST_LOOK,
                       ROUNDS_LOOK_STEP);
    if (is_early && (fixed || is_counted))
        return err_set(err, ERR_USAGE, "--first-look is for a gate with interim analyses: leave out %s",
                       fixed ? "--rounds" : "it where launches are counted");
    if (gate->is_stored_baseline) return 0; // one round
    const struct rounds_options options = {.fixed_round_count = fixed        ? fixed
                                                                : is_counted ? PLAN_COUNTED_ROUNDS
                                                                             : 0,
                                           .looks_at_three = request->first_look == ROUNDS_FIRST_LOOK};
    const struct rounds_looks looks = rounds_looks_of(&options);
    ret->is_sequential = !options.fixed_round_count;
    ret->look_count = looks.count;
    for (size_t i = 0; i < looks.count; ++i) ret->looks[i] = (uint32_t)looks.rounds[i];
    return 0;
}

// Every problem that a claim names must be measured; an unknown name is an error now, not after minutes of
// measuring.
static int set_expectation(struct plan *plan, const struct suite *suite, const char *expect,
                           struct err *err) {
    struct gate_spec *spec = &plan->gate.spec;
    struct comma_item name;
    if (!expect) return 0;
    TRY(gate_spec_parse_expect(expect, &plan->arena, spec, err));
    for (const char *at = spec->expected_problems; comma_next(&at, &name);) {
        bool is_found = false;
        for (size_t i = 0; i < suite->item_count && !is_found; ++i)
            is_found = comma_item_is(name, str_or(suite->items[i].short_name, "")) ||
                       comma_item_is(name, suite->items[i].problem.name);
        if (!is_found || name.length == 0)
            return err_set(err, ERR_USAGE,
                           "--expect improvement:%s names a problem that suite %s does not have; "
                           "'assay list problems --suite %s' shows them",
                           spec->expected_problems, suite->name, suite->name);
    }
    return 0;
}

// Then nothing is run.
static bool is_same_code(const struct gate *gate) {
    if (gate->is_stored_baseline || gate->request.is_same_measured) return false;
    return session_is_same_code(&gate->session, gate->base_side, gate->cand_side);
}

// Thresholds, problems, looks: everything but the correctness matrix.
static int plan_measurement(struct gate *gate, struct plan *ret, struct err *err) {
    struct session *session = &gate->session;
    const struct gate_request *request = &gate->request;
    TRY(gate_spec_check(&request->spec, err));
    TRY(gate_metric_check(ret, gate->is_stored_baseline ? &gate->stored : NULL, gate->stored_path, err));
    TRY(plan_looks(gate, ret, err));
    gate_spec_override(&ret->gate.spec, &request->spec);
    struct suite suite = gate->policy.decides.suite;
    if (!suite.item_count) // no policy, or --problem
        TRY(session_suite(session, session_gate_suite(session, &session->manifest), &suite, err));
    if (suite_take_distributions(&suite, session->options.distributions, &session->arena, err) < 0)
        return err_prefix(err, "--distribution");
    TRY(run_plan_add_cases(ret, &suite, err));
    TRY(set_expectation(ret, &suite, request->expect, err));
    ret->check_side_mask = 1u << gate->cand_side;
    if (gate->is_stored_baseline) {
        ret->gate.stored_baseline = arena_strdup(&ret->arena, gate->stored_path);
        return 0;
    }
    run_plan_set_round_sampling(ret, session);
    ret->gate.is_same_code = is_same_code(gate);
    gate_policy_plan(&gate->policy, ret);
    return 0;
}

// The matrix in the dtypes of the candidate; against a revision of it also in those that only this had, which
// the candidate gives up. Another kernel's are not its own.
static void follow_sides(struct gate *gate, struct suite *matrix) {
    struct session *session = &gate->session;
    struct arena *arena = &session->arena;
    struct suite baseline = *matrix;
    session_follow_kernel(session, gate->cand_side, matrix, arena);
    if (gate->is_stored_baseline || !session->sides[gate->base_side].revision.dir) return;
    session_follow_kernel(session, gate->base_side, &baseline, arena);
    *matrix = suite_union(matrix, &baseline, arena);
}

int gate_plan(struct gate *gate, struct plan *ret, struct err *err) {
    struct session *session = &gate->session;
    run_plan_init(ret, session, "gate");
    if (!gate->is_stored_baseline) run_plan_leave_busy_processors(ret);
    TRY(plan_measurement(gate, ret, err));
    const char *check = session_gate_check(session, &session->manifest, gate->request.check_suite);
    struct suite matrix = gate->policy.decides.check;
    if (!matrix.item_count) // before it is known whether there is anything to check: a wrong name is an error
        TRY(suite_resolve(&session->manifest, check, NULL, &session->arena, &matrix, err));
    TRY(session_check_operator(session, &matrix, err));
    if (!ret->gate.is_same_code && !gate->request.is_check_skipped) {
        TRY(session_draw_checks(session, &matrix, err));
        follow_sides(gate, &matrix);
        run_plan_add_checks(ret, &matrix);
    }
    gate_rerun_plan(session->options.output_dir, ret);
    return 0;
}

// After a wait the plan is made anew: other processors may be busy, and the gate that it waited for may have
// been one of the same code, of which this one is a rerun then.
static int take_device(struct gate *gate, struct plan *plan, const struct run_callbacks *callbacks,
                       struct err *err) {
    if (gate->request.session.resume || plan->gate.is_same_code) return 0; // run_open: of a resumed run
    const int code = run_take_device(&gate->session, callbacks, err);
    if (code) plan_fini(plan);
    return code > 0 ? gate_plan(gate, plan, err) : code;
}

int gate_start(struct gate *gate, struct plan *plan, const struct run_callbacks *callbacks, struct err *err) {
    TRY(take_device(gate, plan, callbacks, err));
    TRY(run_open(&gate->run, &gate->session, plan, callbacks, err));
    const struct plan *made = &gate->run.plan;
    if (gate->run.is_resumed) TRY(gate_policy_check_resumed(gate->request.policy, made, err));
    if (gate->run.is_resumed && made->gate.stored_baseline) {
        TRY(open_stored(gate, made->gate.stored_baseline, err));
        gate->cand_side = 0;
    }
    if (!gate->is_stored_baseline) return 0;
    // Of a file with several kernels: the one that has the candidate's name.
    return classic_side_find(&gate->stored, gate->stored.side_count > 1 ? made->sides[0].kernel : NULL,
                             &gate->base_side, err);
}

// Would the check have noticed a wrong candidate? Asked once it passed, and said before minutes of measuring,
// which still show whether the candidate is slower.
static int ask_whether_judged(struct gate *gate, struct err *err) {
    struct run *run = &gate->run;
    const struct check_counts counts = check_counts_get(&run->result, gate->cand_side, true);
    if (!counts.passed || counts.passed + counts.unsupported < counts.total) return 0;
    TRY(audit_not_judged(&run->plan, gate->cand_side, &run->result.arena, &gate->faults, err));
    for (size_t i = 0; i < gate->faults.count && run->executor.on_notice; ++i)
        run->executor.on_notice(run->executor.arg, arena_format(&run->result.arena, NOT_JUDGED "%s",
                                                                gate->faults.items[i].sentence));
    return 0;
}

static void add_faults(const struct audit_faults *faults, struct arena *arena, struct decision *decision) {
    decision->not_judged = arena_array(arena, faults->count, sizeof *decision->not_judged);
    for (size_t i = 0; i < faults->count; ++i) {
        const struct audit_fault *fault = &faults->items[i];
        decision->not_judged[decision->not_judged_count++] = arena_format(
            arena, "%s%s%s", fault->sentence, fault->to_do ? ". To do: " : "", str_or(fault->to_do, ""));
    }
}

static const struct result *baseline_result(const struct gate *gate) {
    return gate->is_stored_baseline ? &gate->stored : &gate->run.result;
}

// A run whose time is over is no error: the gate decides with the rounds it has. Other codes pass through.
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
    options.spec = run->plan.gate.spec;
    struct classic_side base = {&gate->stored, gate->base_side}, cand = {&run->result, gate->cand_side};
    return verdict_classic(base, cand, &options, &run->result.arena, decision, err);
}

// Interim analyses until every problem is decided; decided problems are not measured again.
static int decide_rounds(struct gate *gate, struct decision *decision, struct err *err) {
    struct run *run = &gate->run;
    const struct rounds_sides sides = {gate->base_side, gate->cand_side};
    struct rounds_options options = rounds_options_default();
    options.spec = run->plan.gate.spec;
    options.fixed_round_count = run->plan.is_sequential ? 0 : run->plan.looks[0];
    options.is_counted = metric_is_counted(run->plan.sampling.metric);
    options.looks_at_three = run->plan.is_sequential && run->plan.looks[0] == ROUNDS_FIRST_LOOK;
    struct rounds_evidence earlier = {.count = 0};
    options.earlier = &earlier;
    const char *unread = NULL;
    bool *is_closed = mem_alloc(run->plan.case_count * sizeof *is_closed);
    run->executor.closed_cases = is_closed;
    int code = 0;
    for (size_t look = 0; code == 0 && look < run->plan.look_count; ++look) {
        if (!gate->time_over)
            code =
                allow_time_over(gate, executor_run_rounds(&run->executor, run->plan.looks[look], err), err);
        options.is_out_of_time = gate->time_over != NULL;
        options.is_ended_early = run->executor.is_hopeless;
        options.is_final =
            options.is_out_of_time || run->executor.is_hopeless || look + 1 == run->plan.look_count;
        ceilings_add_to(&run->result);
        if (look == 0 && !options.is_counted) earlier = gate_evidence(gate, &unread);
        if (code == 0)
            code = verdict_rounds(&run->result, sides, &options, &run->result.arena, decision, err);
        if (code < 0 || options.is_final || !rounds_open_count(decision)) break;
        for (size_t i = 0; i < decision->case_count; ++i)
            is_closed[i] = !rounds_case_is_open(&decision->cases[i]);
    }
    run->executor.closed_cases = NULL;
    free(is_closed);
    if (code == 0 && unread) decision_note(decision, &run->result.arena, "%s", unread);
    return code;
}

// What follows the rule in every gate: removed and added problems, claims, exit code, earlier runs.
static int conclude(struct gate *gate, bool is_refused, struct decision *decision, struct err *err) {
    struct run *run = &gate->run;
    struct arena *arena = &run->result.arena;
    if (run->plan.gate.added_problems) // they are measured on both sides like all others
        decision_note(decision, arena, "new in the suite, against the baseline's: %s",
                      run->plan.gate.added_problems);
    gate_add_removed(decision, run->plan.gate.removed_problems, arena);
    if (!gate->time_over) gate_add_removed_checks(gate, decision); // else the check may not be over
    add_faults(&gate->faults, arena, decision);
    if (run->plan.needs_two_processes) decision_note(decision, arena, "%s", TWO_PROCESSES_NOTE);
    // A claim that was not tested has not failed.
    bool is_unfit = decision->case_count && decision->counts[VERDICT_NOT_VALID] == decision->case_count;
    bool is_untried = is_refused || is_unfit || (gate->time_over && decision->round_count == 0);
    struct gate_options rule = {.kind = GATE_GATE, .spec = run->plan.gate.spec};
    rule.spec.allows_removed |= gate->request.spec.allows_removed; // a resumed run may set it now
    rule.spec.expects_improvement &= !is_untried;
    const struct gate_events events = {
        .result = &run->result,
        .cand_side = gate->cand_side,
        .is_refused = is_refused,
        .is_out_of_time = gate->time_over != NULL,
        .is_stored_baseline = gate->is_stored_baseline,
        .accepted = gate_acceptances(gate, arena),
    };
    ratchet_judge(&rule.spec.ratchets, &baseline_result(gate)->sides[gate->base_side].build,
                  &run->result.sides[gate->cand_side].build, arena, decision);
    TRY(gate_rule_apply(&rule, &events, arena, decision, err));
    gate_source_add(gate, arena, decision);
    gate_rerun_note(&gate->run, is_refused, decision);
    return 0;
}

// After the decision, which it cannot change.
static void explain_gate(struct gate *gate) {
    struct run *run = &gate->run;
    const struct explain_request request = {
        .options = &gate->session.options,
        .results = {baseline_result(gate), &run->result},
        .sides = {gate->base_side, gate->cand_side},
        .decision = run->result.decision,
        .is_asked_for = gate->request.is_explained,
        .is_kept = true,
        .folder = arena_format(&run->result.arena, "%s/profile", run->dir),
        .wants_progress = run->progress.is_enabled,
    };
    const bool is_time = run->plan.sampling.metric == METRIC_TIME;
    if (gate->request.is_explained || (is_time && !gate->time_over))
        run->result.explanation = explain(&request, &run->result.arena);
}

// Where it was decided, for those who tell the comments and alerts of two gates apart. A worker states the
// device, and equal machine code needs none.
static void state_place(struct run *run) {
    struct environment *environment = &run->result.environment;
    if (!environment->device) environment->device = arena_strdup(&run->result.arena, run->plan.device);
    code_host_state_job(&run->result);
}

int gate_decide(struct gate *gate, struct err *err) {
    struct run *run = &gate->run;
    struct decision *decision = arena_alloc(&run->result.arena, sizeof *decision);
    const bool is_calibration_ignored = gate->request.is_calibration_ignored;
    bool is_refused = false;
    TRY(gate_calibration_refuse(run, is_calibration_ignored, decision, &is_refused, err));
    // Correctness does not depend on a quiet machine: it is checked even if the calibration stops the gate.
    TRY(allow_time_over(gate, executor_run_checks(&run->executor, err), err));
    TRY(ask_whether_judged(gate, err));
    if (run->plan.gate.is_same_code) {
        *decision = gate_rule_same_code(&run->result, gate->base_side, gate->cand_side, &run->result.arena);
    } else if (!is_refused && gate_rule_is_unchecked(&run->result, gate->cand_side)) {
        *decision = gate_rule_unchecked(&run->result, &run->plan.gate.spec, &run->result.arena);
    } else if (!is_refused) {
        if (gate->is_stored_baseline)
            TRY(decide_stored(gate, decision, err));
        else
            TRY(decide_rounds(gate, decision, err));
        if (gate->time_over) decision_note(decision, &run->result.arena, "%s", gate->time_over);
        gate_calibration_note(run, is_calibration_ignored, decision);
    }
    TRY(conclude(gate, is_refused, decision, err));
    run->result.decision = decision;
    state_place(run);
    gate->stage = GATE_STAGE_DECIDED;
    explain_gate(gate);
    return run_write_result(run, err);
}

int gate_close(struct gate *gate, struct err *err) {
    const int code = run_close(&gate->run, err);
    result_fini(&gate->stored);
    session_close(&gate->session);
    *gate = (struct gate){0};
    return code;
}
