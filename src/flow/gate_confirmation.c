// SPDX-License-Identifier: Apache-2.0
//
// See gate_confirmation.h. Plans are small and read first; of the runs whose plan asks the same of the same code, the newest
// result that says something of the candidate is the one that counts. What cannot be read is no run.
#include "flow/gate_confirmation.h"

#include "base/mem.h"
#include "base/rng.h"
#include "record/sim_script.h"
#include "verdict/confirmation.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_READ_MAX = 200 }; // newest first: what lies behind is history

static bool is_same_device(const struct plan *a, const struct plan *b) {
    char a_uuid[64], b_uuid[64];
    if (!str_equal(a->device, b->device) || a->thread_count != b->thread_count || !a->sim != !b->sim)
        return false;
    if (!a->sim) return true;
    sim_device_uuid(a->sim, a_uuid);
    sim_device_uuid(b->sim, b_uuid);
    return strcmp(a_uuid, b_uuid) == 0;
}

static bool is_same_code(const struct plan *a, const struct plan *b) {
    if (a->side_count != b->side_count || !str_equal(a->gate.stored_baseline, b->gate.stored_baseline))
        return false;
    for (size_t i = 0; i < a->side_count; ++i) {
        const char *code = a->sides[i].build.code_hash;
        if (a->sides[i].role != b->sides[i].role || !code || !*code ||
            !str_equal(code, b->sides[i].build.code_hash))
            return false;
    }
    return true;
}

static bool has_same_problems(const struct plan *a, const struct plan *b) {
    if (a->case_count != b->case_count) return false;
    for (size_t i = 0; i < a->case_count; ++i)
        if (!str_equal(a->cases[i].problem.name, b->cases[i].problem.name)) return false;
    return true;
}

// Does the earlier run ask the same question? How many rounds and samples may differ: more of them is a fair repetition.
static bool is_same_question(const struct plan *a, const struct plan *b) {
    return str_equal(a->command, b->command) && !b->gate.is_same_code &&
           a->gate.regression_pct == b->gate.regression_pct &&
           a->gate.improvement_pct == b->gate.improvement_pct &&
           a->gate.is_improvement_expected == b->gate.is_improvement_expected &&
           str_equal(a->gate.expected_problems, b->gate.expected_problems) && is_same_device(a, b) &&
           is_same_code(a, b) && has_same_problems(a, b);
}

static bool asks_the_same(const struct plan *plan, const char *root, const char *id) {
    struct plan earlier = {0};
    struct err unread = {0};
    char *path = mem_format("%s/%s/plan.json", root, id);
    bool is_same = false;
    if (plan_read_file(path, &earlier, &unread) == 0) {
        is_same = is_same_question(plan, &earlier);
        plan_fini(&earlier);
    }
    free(path);
    return is_same;
}

// A run that could not be decided says something where rounds that count left a problem open. One that stopped before it had
// measured (no calibration, out of time), or on a machine that was not fit, says nothing of the code: to gate again is right.
static bool is_evidence(const struct decision *decision) {
    if (decision->exit_code != 3) return true;
    for (size_t i = 0; i < decision->case_count; ++i)
        if (decision->cases[i].verdict == VERDICT_UNDECIDABLE && decision->cases[i].round_count) return true;
    return false;
}

static int read_result(const char *root, const char *id, struct result *ret) {
    struct err unread = {0};
    char *path = mem_format("%s/%s/result.json", root, id);
    int code = result_read_file(path, ret, &unread);
    free(path);
    return code;
}

enum run_kind { RUN_NOTHING = 0, RUN_PASSED, RUN_FAILED };

static enum run_kind judge_run(const char *root, const char *id) {
    struct result result;
    enum run_kind kind = RUN_NOTHING;
    if (read_result(root, id, &result) < 0) return RUN_NOTHING;
    if (result.decision && is_evidence(result.decision))
        kind = result.decision->exit_code == 1 || result.decision->exit_code == 3 ? RUN_FAILED : RUN_PASSED;
    result_fini(&result);
    return kind;
}

// Order of problems, inputs, and whatever a simulated device draws: all of it follows from these seeds.
static void draw_fresh_data(struct plan *plan) {
    const uint64_t given = plan->seed;
    plan->seed = rng_u64(given, rng_stream("confirmation run"), plan->gate.earlier_run_count) >> 32;
    for (size_t i = 0; i < plan->case_count; ++i)
        if (plan->cases[i].seed == given) plan->cases[i].seed = plan->seed;
    for (size_t i = 0; i < plan->check_count; ++i)
        if (plan->checks[i].seed == given) plan->checks[i].seed = plan->seed;
}

// The runs that asked the same and say something of the code. Nothing is read behind a latest one that passed.
struct history {
    enum run_kind latest;
    const char *latest_id; // borrowed
    uint32_t run_count;    // the latest included
};

static struct history read_history(const struct plan *plan, const char *root, const struct run_entry *runs,
                                   size_t count) {
    struct history history = {0};
    for (size_t i = 0; i < count && i < RUNS_READ_MAX && history.latest != RUN_PASSED; ++i) {
        if (!asks_the_same(plan, root, runs[i].id)) continue;
        const enum run_kind kind = judge_run(root, runs[i].id);
        if (kind == RUN_NOTHING) continue;
        if (history.run_count++ > 0) continue;
        history.latest = kind;
        history.latest_id = runs[i].id;
    }
    return history;
}

void gate_confirmation_plan(const struct gate *gate, struct plan *plan) {
    const char *root = gate->session.options.output_dir;
    if (plan->gate.is_same_code) return;
    size_t count = 0;
    struct run_entry *runs = run_list(root, "result.json", &count);
    const struct history history = read_history(plan, root, runs, count);
    if (history.latest == RUN_FAILED) {
        plan->gate.confirms_run_id = arena_strdup(&plan->arena, history.latest_id);
        plan->gate.earlier_run_count = history.run_count;
        draw_fresh_data(plan);
    }
    run_list_free(runs, count);
}

void gate_confirmation_note(struct gate *gate, struct decision *decision) {
    const struct plan *plan = &gate->run.plan;
    struct arena *arena = &gate->run.result.arena;
    struct result earlier;
    if (!plan->gate.confirms_run_id || read_result(gate->run.root, plan->gate.confirms_run_id, &earlier) < 0)
        return;
    if (earlier.decision) {
        const struct confirmation confirmation = {
            .earlier_id = plan->gate.confirms_run_id,
            .earlier = earlier.decision,
            .earlier_run_count = plan->gate.earlier_run_count,
            .earlier_device_uuid = earlier.environment.device_uuid,
            .device_uuid = gate->run.result.environment.device_uuid,
        };
        confirmation_note(&confirmation, arena, decision);
    }
    result_fini(&earlier);
}
