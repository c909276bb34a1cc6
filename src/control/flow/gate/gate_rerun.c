// SPDX-License-Identifier: Apache-2.0
//
// A gate on code that has failed before. The plan records what is known of the earlier runs, so that a
// resumed run is the same rerun even if those have been removed.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "code_host/code_host.h"
#include "control/flow/gate/gate_internal.h"
#include "control/flow/gate/gate_rerun_history_internal.h"
#include "control/flow/gate/gate_rerun_text_internal.h"
#include "verdict/decision_make.h"

enum { PROBLEMS_NAMED_MAX = 4 }; // of either run

// ---- when the plan is made ----

// The order of problems, the inputs, and all that a simulated device draws follow from these seeds. Once the
// history is full its count no longer grows, so the id of its newest run takes the place of the count.
static void draw_fresh_data(const struct gate_rerun_history *history, struct plan *plan) {
    const uint64_t given = plan->seed;
    uint64_t which = plan_rerun_number(plan) - 1;
    if (history->count >= GATE_LOG_RUNS_MAX) which = hash_text_u64(history->entries[0].run_id);
    plan->seed = rng_u64(given, rng_stream("confirmation run"), which) >> 11;
    for (size_t i = 0; i < plan->case_count; ++i)
        if (plan->cases[i].seed == given) plan->cases[i].seed = plan->seed;
    for (size_t i = 0; i < plan->check_count; ++i)
        if (plan->checks[i].seed == given) plan->checks[i].seed = plan->seed;
}

void gate_rerun_plan(const char *root, struct plan *plan) {
    if (plan->gate.is_same_code) return;
    struct gate_rerun_history history;
    gate_rerun_history_read(plan, root, &history);
    plan->gate.unfinished_run_count = history.unfinished_count;
    if (history.failure) {
        plan->gate.confirms_run_id = arena_strdup(&plan->arena, history.failure->run_id);
        plan->gate.earlier_run_count = (uint32_t)history.count;
        plan->gate.failed_run_count = history.failed_count;
    }
    const struct code_host *host = NULL;
    plan->gate.earlier_attempt_count = code_host_earlier_attempts(&host);
    if (host) plan->gate.attempt_host = host->title;
    if (plan_rerun_number(plan) > 1) draw_fresh_data(&history, plan);
    gate_rerun_history_fini(&history);
}

// ---- how the earlier run's question differs ----

static void add_difference(struct strbuf *out, const char *what, const char *then, const char *now) {
    if (!str_equal(then, now)) comma_addf(out, "%s %s (now %s)", what, then, now);
}

// "p1, p2 and 3 more": the problems of `entry` that `other` lacks. NULL: none.
static const char *names_without(const struct gate_entry *entry, const struct gate_entry *other,
                                 struct arena *arena) {
    struct strbuf text = {0};
    size_t count = 0;
    for (size_t i = 0; i < entry->decision.case_count; ++i) {
        const struct decision_case *item = &entry->decision.cases[i];
        if (decision_find_case(&other->decision, item->name)) continue;
        if (count++ < PROBLEMS_NAMED_MAX)
            strbuf_addf(&text, "%s%s", count > 1 ? ", " : "", decision_case_name(item));
    }
    if (count > PROBLEMS_NAMED_MAX) strbuf_addf(&text, " and %zu more", count - PROBLEMS_NAMED_MAX);
    const char *names = count ? arena_strdup(arena, strbuf_text(&text)) : NULL;
    strbuf_fini(&text);
    return names;
}

static const char *difference_text(const struct gate_entry *then, const struct gate_entry *now,
                                   struct arena *arena) {
    const struct {
        const char *what;
        double then_pct, now_pct;
    } thresholds[] = {{"regression", then->decision.regression_pct, now->decision.regression_pct},
                      {"improvement", then->decision.improvement_pct, now->decision.improvement_pct}};
    const struct gate_entry *const entries[] = {then, now};
    const char *threads[2];
    struct strbuf text = {0};
    for (size_t i = 0; i < 2; ++i) {
        if (isfinite(thresholds[i].then_pct))
            add_difference(&text, thresholds[i].what, arena_format(arena, "%.6g %%", thresholds[i].then_pct),
                           arena_format(arena, "%.6g %%", thresholds[i].now_pct));
        const uint32_t count = entries[i]->thread_count;
        threads[i] = count ? arena_format(arena, "%" PRIu32, count) : "as many as there are";
    }
    add_difference(&text, "claim", str_or(then->claim, "none"), str_or(now->claim, "none"));
    add_difference(&text, "threads", threads[0], threads[1]);
    const char *gone = names_without(then, now, arena), *added = names_without(now, then, arena);
    if (gone) comma_addf(&text, "problems left out now: %s", gone);
    if (added) comma_addf(&text, "problems new now: %s", added);
    const char *ret = text.length ? arena_strdup(arena, strbuf_text(&text)) : NULL;
    strbuf_fini(&text);
    return ret;
}

// ---- when it is decided ----

static void say_rerun(struct run *run, const struct gate_rerun_history *history, const struct gate_entry *now,
                      struct decision *decision) {
    const struct plan *plan = &run->plan;
    struct arena *arena = &run->result.arena;
    const struct gate_entry *then = NULL;
    struct rerun rerun = {
        .earlier_id = plan->gate.confirms_run_id,
        .earlier_run_count = plan->gate.earlier_run_count,
        .failed_run_count = plan->gate.failed_run_count,
        .attempt_host = plan->gate.attempt_host,
        .earlier_attempt_count = plan->gate.earlier_attempt_count,
        .device_uuid = run->result.environment.device_uuid,
    };
    for (size_t i = 0; rerun.earlier_id && i < history->count && !then; ++i)
        if (str_equal(history->entries[i].run_id, rerun.earlier_id)) then = &history->entries[i];
    if (then) {
        char *theirs = path_dir(str_or(then->dir, "")), *ours = path_dir(now->dir);
        rerun.earlier_id = then->run_id;
        if (then->dir && then->dir[0] == '/' && strcmp(theirs, ours) != 0) // in another folder
            rerun.earlier_id = arena_format(arena, "%s (%s)", then->run_id, then->dir);
        free(theirs);
        free(ours);
        rerun.earlier = &then->decision;
        rerun.earlier_device_uuid = then->device_uuid;
        rerun.question = difference_text(then, now, arena);
    }
    rerun_note(&rerun, arena, decision);
}

void gate_rerun_note(struct run *run, bool is_refused, struct decision *decision) {
    struct arena *arena = &run->result.arena;
    const uint32_t unfinished = run->plan.gate.unfinished_run_count;
    if (run->plan.gate.is_same_code) return;
    char *dir = path_absolute(run->dir);
    const struct gate_entry now =
        gate_entry_make(&run->plan, arena_strdup(arena, dir), &run->result, decision, arena);
    free(dir);
    struct gate_rerun_history history;
    gate_rerun_history_read(&run->plan, run->root, &history);
    if (history.warning) decision_note(decision, arena, "%s", history.warning);
    if (plan_rerun_number(&run->plan) > 1 && !is_refused) say_rerun(run, &history, &now, decision);
    if (unfinished)
        decision_note(decision, arena, "%" PRIu32 " earlier run%s of this code %s not finished", unfinished,
                      unfinished == 1 ? "" : "s", unfinished == 1 ? "was" : "were");
    gate_rerun_history_fini(&history);
    if (!gate_is_evidence(&now.decision)) return;
    struct err err = {0};
    char *path = gate_log_path(&run->plan);
    if (path && gate_log_add(path, &now, &err) < 0)
        decision_note(decision, arena, "this run is not in the log of gates: %s", err.text);
    free(path);
}
