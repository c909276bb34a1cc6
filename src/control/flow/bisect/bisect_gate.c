// SPDX-License-Identifier: Apache-2.0
//
// One gate of a bisect: builds a commit, and measures it against GOOD unless its machine code was measured.
#include "control/flow/bisect/bisect_gate_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "control/flow/device_lock.h"
#include "control/flow/gate/gate_run.h"

// Beyond these an answer is called by its name; between them it is unclear. What counts is the probability.
#define CLEAR_P       0.9
#define ID_DIGITS     12 // of a commit: enough for any repository, and short enough for a sentence
#define HALF_PCT(pct) (100 * expm1(0.5 * log1p((pct) / 100))) // half of a change, as a ratio

static struct session_options gate_session(const struct bisect *bisect) {
    const struct bisect_record *record = &bisect->record;
    const bool is_settled = record->problem != NULL; // then it alone is measured
    struct session_options ret = {
        .command = "gate",
        .command_line = record->command_line,
        .manifest = record->manifest,
        .suite = is_settled ? NULL : record->suite,
        .only = is_settled ? NULL : record->only,
        .dtype = is_settled ? NULL : record->dtype,
        .problem = record->problem,
        .device = record->device,
        .lock_clocks = record->lock_clocks,
        .output_dir = bisect->dir,
        // Every gate draws anew, also a second one of the same commit.
        .seed = rng_u64(record->seed, rng_stream("bisect"), record->step_count),
        .thread_count = record->thread_count,
        .cpus = record->processors,
        .device_lock = bisect->device_lock,
        .is_verbose = bisect->is_verbose,
        .is_priority_given = record->is_priority_given,
        .is_metric_given = record->is_metric_given,
        .is_case_time_given = record->is_case_time_given,
        .is_isolation_given = record->is_isolation_given,
        .is_seed_given = true, // every commit is checked with the same problems
        .sampling = record->sampling,
    };
    if (ret.sampling.sample_count == 0) ret.sampling.sample_count = SESSION_SAMPLES_DEFAULT;
    return ret;
}

// The thresholds decide how many rounds are measured: between the ends as asked for, then half of the change.
static struct gate_spec gate_spec_of(const struct bisect *bisect) {
    struct gate_spec spec = gate_spec_none();
    spec.regression_pct = bisect->record.regression_pct;
    spec.improvement_pct = bisect->record.improvement_pct;
    const double change_pct = 100 * expm1(bisect->step.change);
    if (change_pct > 0) spec.regression_pct = fmin(HALF_PCT(change_pct), 99);
    if (change_pct < 0) spec.improvement_pct = -HALF_PCT(change_pct);
    return spec;
}

// Equal texts: the same machine code. NULL: not known, as of Python, whose imports are not.
static const char *code_of(struct bisect *bisect, const struct result_side *side) {
    if (side->python || !side->build.code_hash) return NULL;
    return arena_format(&bisect->arena, "%s:%s", str_or(side->kernel_name, ""), side->build.code_hash);
}

// ---- what a gate says ----

// What is wrong comes first, then what became slower, then what became faster.
static int rank_of(const struct decision_case *item) {
    return item->verdict == VERDICT_WRONG         ? 3
           : item->verdict == VERDICT_REGRESSION  ? 2
           : item->verdict == VERDICT_IMPROVEMENT ? 1
                                                  : 0;
}

// The problem that is bisected: the only one, or between the ends the one that changed most.
static const struct decision_case *find_case(const struct decision *decision, const char *problem) {
    const struct decision_case *best = NULL;
    if (problem) return decision_find_case(decision, problem);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        const int more = best ? rank_of(item) - rank_of(best) : 1;
        if (more > 0 || (more == 0 && fabs(item->change_pct) > fabs(best->change_pct))) best = item;
    }
    return best;
}

static enum bisect_answer answer_of(double p) {
    if (p >= CLEAR_P) return BISECT_ANSWER_CHANGED;
    return p <= 1 - CLEAR_P ? BISECT_ANSWER_UNCHANGED : BISECT_ANSWER_UNCLEAR;
}

// Of the ends the gate's own verdict counts: what changed less than its threshold is not searched for.
static void judge(struct bisect *bisect, size_t place, const struct decision_case *item,
                  struct bisect_step *step) {
    step->change_pct = item->change_pct;
    step->change_low_pct = item->change_low_pct;
    step->change_high_pct = item->change_high_pct;
    step->se_pct = item->spread_pct / sqrt((double)item->round_count);
    step->round_count = item->round_count;
    if (place + 1 == bisect->history.commit_count) {
        const bool is_changed = item->verdict == VERDICT_REGRESSION || item->verdict == VERDICT_IMPROVEMENT;
        step->answer = is_changed                            ? BISECT_ANSWER_CHANGED
                       : item->verdict == VERDICT_MAINTAINED ? BISECT_ANSWER_UNCHANGED
                                                             : BISECT_ANSWER_UNCLEAR;
        return;
    }
    const struct bisection_measurement found = bisect_measurement(step);
    const double p = bisection_evidence(&found, &bisect->step);
    step->p_changed_pct = 100 * p;
    step->answer = answer_of(p);
}

static void read_decision(struct bisect *bisect, size_t place, const struct decision *decision,
                          struct bisect_step *step) {
    struct arena *arena = &bisect->arena;
    const struct decision_case *item = find_case(decision, bisect->record.problem);
    step->reason = arena_strdup(arena, item ? item->sentence : decision->sentence);
    if (item && item->verdict == VERDICT_WRONG)
        step->answer = BISECT_ANSWER_WRONG;
    else if (!item || item->round_count < 2 || !isfinite(item->spread_pct) || !isfinite(item->change_pct))
        step->answer = BISECT_ANSWER_NO_DATA;
    else
        judge(bisect, place, item, step);
    if (step->answer == BISECT_ANSWER_CHANGED && !bisect->record.problem && item)
        bisect->record.problem = arena_strdup(arena, item->name);
}

// ---- the gate ----

static int measure(struct bisect *bisect, struct gate *gate, size_t place, struct bisect_step *step,
                   struct err *err) {
    struct plan plan = {0};
    struct bisect_record *record = &bisect->record;
    char *path = path_join(bisect->dir, BISECT_FILE);
    int code = gate->request.session.resume ? 0 : gate_plan(gate, &plan, err);
    if (code == 0) code = gate_start(gate, &plan, &bisect->callbacks.gate, err);
    if (code == 0) {
        step->run_id = arena_strdup(&bisect->arena, gate->run.plan.run_id);
        step->code = code_of(bisect, &gate->run.plan.sides[gate->cand_side]);
        record->running_commit = step->commit;
        record->running_run_id = step->run_id;
        code = bisect_record_write_file(record, path, err);
    }
    if (code == 0) code = gate_decide(gate, err);
    if (code == 0) read_decision(bisect, place, gate->run.result.decision, step);
    plan_fini(&plan); // empty where the run has it
    free(path);
    return code;
}

// A commit whose machine code is GOOD's, or that of a measured one, needs no measurement; one that comes up
// again does, since what is known is not enough.
static bool is_same_code(struct bisect *bisect, const struct gate *gate, struct bisect_step *step) {
    const struct session *session = &gate->session;
    for (size_t i = 0; i < bisect->record.step_count; ++i)
        if (str_equal(bisect->record.steps[i].commit, step->commit)) return false;
    if (session_is_same_code(session, gate->base_side, gate->cand_side)) {
        step->same_as = bisect->record.good;
    } else {
        const char *code = code_of(bisect, &session->sides[gate->cand_side].spec);
        const struct bisect_step *twin = bisect_find_code(bisect, code);
        if (!twin) return false;
        step->same_as = twin->commit;
    }
    step->answer = BISECT_ANSWER_SAME_CODE;
    return true;
}

int bisect_gate(struct bisect *bisect, size_t place, const char *run_id, struct bisect_step *ret,
                struct err *err) {
    const struct revision_commit *commit = bisect_commit(bisect, place);
    struct arena *arena = &bisect->arena;
    struct gate gate = {0};
    struct gate_request request = {
        .session = gate_session(bisect),
        .candidate = bisect->record.kernel,
        .candidate_revision = arena_format(arena, "git:%.*s", ID_DIGITS, commit->id),
        .baseline = arena_format(arena, "git:%.*s", ID_DIGITS, bisect->record.good),
        .spec = gate_spec_of(bisect),
        .fixed_round_count = bisect->record.round_count,
        .is_calibration_ignored = bisect->record.is_calibration_ignored,
        .is_check_skipped = true, // what is measured is checked all the same
    };
    if (run_id) { // its plan knows the clocks
        request.session.resume = arena_format(arena, "%s/%s", bisect->dir, run_id);
        request.session.lock_clocks = NULL;
    }
    *ret = (struct bisect_step){.commit = commit->id, .subject = commit->subject, .run_id = run_id};
    ret->change_pct = ret->change_low_pct = ret->change_high_pct = ret->se_pct = ret->p_changed_pct = NAN;
    const uint64_t start_ns = clock_ns(), waited_before_ns = device_lock_waited_ns(bisect->device_lock);
    int code = gate_open(&gate, &request, err);
    if (code < 0 && gate.stage == GATE_STAGE_CANDIDATE_BROKEN) {
        ret->answer = BISECT_ANSWER_NOT_BUILT;
        ret->reason = arena_strndup(arena, err->text, strcspn(err->text, "\n"));
        code = 0;
    } else if (code == 0 && (run_id || !is_same_code(bisect, &gate, ret))) {
        code = measure(bisect, &gate, place, ret, err);
    }
    if (code < 0 && gate.stage == GATE_STAGE_BASELINE_BROKEN) {
        err_prefix(err, "GOOD cannot be measured");
        err->code = ERR_BUILD;
        code = -ERR_BUILD;
    }
    const int closed = gate_close(&gate, code == 0 ? err : NULL);
    const uint64_t waited_ns = device_lock_waited_ns(bisect->device_lock) - waited_before_ns;
    ret->seconds = 1e-9 * (double)(clock_ns() - start_ns - waited_ns);
    return code < 0 ? code : closed;
}
