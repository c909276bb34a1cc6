// SPDX-License-Identifier: Apache-2.0
//
// Begins or resumes a run: locks its folder, writes the plan before anything runs, replays the journal on
// resume. A run is resumed only by the program and on the machine that began it: the sampler and the
// linked-in kernels are part of the program. So the journal begins with the program's hash, which includes
// the Python bridge if a side needs it.
#include "control/exec/executor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/exec/executor_internal.h"
#include "control/exec/python_imports.h"
#include "control/exec/python_program.h"

static int on_replay(void *arg, const struct record *record, struct err *err) {
    struct executor *executor = arg;
    if (record->kind == RECORD_ROUND && record->round < ROUNDS_LIMIT) {
        executor->state->is_round_done[record->round] = true;
    }
    if (record->kind == RECORD_PROGRAM && record->text) {
        snprintf(executor->state->program, sizeof executor->state->program, "%s", record->text);
    }
    return result_add_record(executor->result, record, err);
}

// In a new journal, records the hash of this program; on resume, ERR_UNAVAILABLE unless the hash is the same.
static int hold_program(struct executor *executor, struct err *err) {
    const struct plan *plan = executor->plan;
    const char *began = executor->state->program;
    char now[HASH_HEX_BYTES];
    bool has_bridge = false;
    for (size_t i = 0; i < plan->side_count; ++i) has_bridge |= plan->sides[i].python != NULL;
    TRY(hash_file_hex("/proc/self/exe", now, err));
    if (has_bridge) { // the bridge and its library measure in place of the program
        char hex[HASH_HEX_BYTES];
        struct hash_state *hash = hash_new();
        hash_add_text(hash, now);
        const int code = python_program_hash(hash, err);
        hash_take_hex(hash, hex);
        TRY(code);
        memcpy(now, hex, sizeof hex);
    }
    if (began[0] == 0) {
        const struct record record = {.kind = RECORD_PROGRAM, .time_ns = clock_ns(), .text = now};
        return journal_add(executor->journal, &record, err);
    }
    if (strcmp(began, now) == 0) return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "the run in '%s' was begun by another build of assay%s, whose sampler and kernels may differ; "
        "resume it with the program that began it, or start a new run",
        executor->run_dir, has_bridge ? " or of its bridge to Python (libassay_worker.so, peers/*.py)" : "");
}

int executor_make_dir(const char *run_dir, struct err *err) {
    struct err why = {0};
    if (file_make_dirs(run_dir, &why) == 0) return 0;
    return err_set(err, why.code, "%s%s", why.text,
                   why.code == ERR_CREATE ? "; --output-dir names another folder for runs" : "");
}

static int open_files(struct executor *executor, bool is_new, struct err *err) {
    const char *dir = executor->run_dir;
    char *plan_path = path_join(dir, "plan.json"), *journal_path = path_join(dir, "journal.jsonl");
    char *lock_path = path_join(dir, "lock");
    int code = 0;
    if (is_new)
        code = executor_make_dir(dir, err);
    else if (!file_exists(plan_path))
        code = err_set(err, ERR_NO_INPUT, "there is no run in '%s': its plan.json is missing", dir);
    if (code >= 0) {
        code = file_lock_open(lock_path, false, &executor->state->lock_fd, err);
        if (code == -ERR_UNAVAILABLE)
            code = err_set(err, ERR_UNAVAILABLE,
                           "the run in '%s' is being carried out by another assay; wait for it", dir);
    }
    if (code >= 0 && is_new && file_exists(plan_path))
        code = err_set(err, ERR_CREATE, "there is a run in '%s' already; resume it, or choose another folder",
                       dir);
    if (code >= 0)
        code = is_new ? plan_write_file(executor->plan, plan_path, err)
                      : journal_replay(journal_path, on_replay, executor, err);
    if (code >= 0) code = journal_open(journal_path, &executor->journal, err);
    if (code >= 0) code = file_make_dirs(executor->state->reference_dir, err);
    if (code >= 0) code = hold_program(executor, err);
    free(plan_path);
    free(journal_path);
    free(lock_path);
    return code;
}

static int begin(struct executor *executor, const char *run_dir, bool is_new, struct err *err) {
    executor->run_dir = run_dir;
    executor->journal = NULL;
    executor->is_over_limit = executor->is_hopeless = false;
    executor->state = mem_alloc(sizeof *executor->state);
    executor->state->lock_fd = -1;
    executor->state->reference_dir = path_join(run_dir, "references");
    executor->state->cache_dir = path_join(run_dir, "caches");
    int code = open_files(executor, is_new, err);
    if (code < 0) {
        executor->state->has_failed = true;
        executor_close(executor);
    }
    return code;
}

int executor_create(struct executor *executor, const char *run_dir, const struct plan *plan,
                    struct result *result, struct err *err) {
    executor->plan = plan;
    executor->result = result;
    return begin(executor, run_dir, true, err);
}

// What the plan's references in Python depend on: kept results, and checks that passed, are of what it was.
static int check_references(const struct plan *plan, struct err *err) {
    for (size_t i = 0; i < plan->operators.declared_count; ++i) {
        const struct declared_reference *reference = &declared_of(plan->operators.declared[i])->reference;
        char hex[SHA256_HEX_BYTES];
        if (!reference->function || !reference->module_path) continue;
        TRY(python_imports_hash(reference, hex, err));
        if (!str_equal(hex, reference->module_hash))
            return err_set(err, ERR_DATA,
                           "the reference of '%s' (%s) is not the one that the plan names: its file, a "
                           "module that it imports or a package has changed since; start a new run",
                           declared_of(plan->operators.declared[i])->name, reference->source);
    }
    return 0;
}

int executor_resume(struct executor *executor, const char *run_dir, const struct plan *plan,
                    struct result *result, struct err *err) {
    executor->plan = plan;
    executor->result = result;
    TRY(check_references(plan, err));
    const int code = begin(executor, run_dir, false, err);
    result->clock_seen_ns = 0; // the worker that set it no longer runs
    return code;
}

void executor_keep_references(struct executor *executor, const char *dir) {
    file_remove_tree(executor->state->reference_dir, NULL);
    free(executor->state->reference_dir);
    executor->state->reference_dir = mem_strdup(dir);
    executor->are_references_kept = true;
}

void executor_close(struct executor *executor) {
    struct executor_state *state = executor->state;
    if (!state) return;
    journal_close(executor->journal);
    if (!state->has_failed && !executor->are_references_kept) file_remove_tree(state->reference_dir, NULL);
    file_lock_close(state->lock_fd);
    (void)file_remove_tree(state->cache_dir, NULL); // the next run tries again
    free(state->cache_dir);
    free(state->reference_dir);
    free(state);
    executor->state = NULL;
    executor->journal = NULL;
}

int executor_fail(struct executor *executor, int code, struct err *err) {
    const struct plan *plan = executor->plan;
    if (code >= 0) return code;
    if (executor->state) executor->state->has_failed = true;
    if (code != -ERR_CANCELLED) return code;
    return err_set(err, ERR_CANCELLED,
                   "interrupted; what was finished is kept: go on with 'assay %s --resume %s'",
                   plan->command ? plan->command : "run", executor->run_dir);
}

int executor_check_machine(const struct executor *executor, const struct environment *now, struct err *err) {
    const struct environment *first = &executor->result->environment;
    const struct {
        const char *what, *first, *now;
    } facts[] = {{"device", first->device_uuid, now->device_uuid},
                 {"driver", first->driver, now->driver},
                 {"instruction set", first->isa, now->isa}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i) {
        if (!facts[i].first || !facts[i].now || strcmp(facts[i].first, facts[i].now) == 0) continue;
        return err_set(
            err, ERR_UNAVAILABLE,
            "this run was begun on another machine or with other settings: its %s was '%s' and is '%s' now; "
            "resume on the machine that began it, or start a new run",
            facts[i].what, facts[i].first, facts[i].now);
    }
    if (first->thread_count == 0 || now->thread_count == 0 || first->thread_count == now->thread_count)
        return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "this run was begun with %lld threads and has %lld now; resume with as many processors as it began "
        "with, or start a new run",
        (long long)first->thread_count, (long long)now->thread_count);
}

int executor_keep(struct executor *executor, const struct record *record, bool is_later, struct err *err) {
    // A record that is refused, such as another version of a peer, is not kept: a resumed run asks again.
    TRY(result_add_record(executor->result, record, err));
    return is_later ? journal_add_later(executor->journal, record, err)
                    : journal_add(executor->journal, record, err);
}

int executor_keep_measurement(struct executor *executor, struct measurement *measurement,
                              const struct work_order *order, struct err *err) {
    measurement_judge(measurement, order->sampling.sample_count);
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        if (measurement->samples[side].kind == RECORD_INVALID) continue;
        TRY(executor_keep(executor, &measurement->samples[side], true, err));
    }
    TRY(executor_keep(executor, &measurement->state, false, err));
    executor_notice_duration(executor, measurement);
    executor_notice_invalid(executor, measurement);
    executor_notice_hopeless(executor, measurement, order->sampling.sample_count);
    return 0;
}

bool executor_has_failed_side(const struct result *result, uint32_t case_index, uint32_t side) {
    const enum outcome outcome = result->cases[case_index].checks[side].outcome;
    return outcome != OUTCOME_NONE && outcome != OUTCOME_OK;
}

// Progress is in seconds as the plan expects them, of each case of the check matrix once, of each measured
// case once a round.
void executor_show_progress(struct executor *executor, const struct work_order *order,
                            const struct work_case *item) {
    if (!executor->progress) return;
    const struct result *result = executor->result;
    const struct plan *plan = executor->plan;
    double done = 0;
    for (size_t i = 0; i < result->check_count; ++i) {
        bool is_open = false;
        for (uint32_t side = 0; side < result->side_count; ++side) {
            const bool takes_part = plan->check_side_mask >> side & 1;
            if (takes_part && result->checks[i].checks[side].outcome == OUTCOME_NONE) is_open = true;
        }
        if (!is_open) done += plan_check_s(plan, i);
    }
    for (size_t i = 0; i < result->case_count; ++i)
        for (size_t r = 0; r < result->cases[i].round_count; ++r)
            if (result->cases[i].rounds[r].is_valid) done += plan_measure_s(plan, i);
    struct strbuf label = {0};
    const bool is_check = order->kind == WORK_CHECK;
    if (is_check)
        strbuf_addf(&label, "check %u/%zu ", (unsigned)item->index + 1, plan->check_count);
    else
        strbuf_addf(&label, "round %u of %u, ", (unsigned)order->round + 1,
                    (unsigned)plan->looks[plan->look_count - 1]);
    strbuf_add(&label, str_or(item->short_name, item->problem.name));
    progress_begin(executor->progress, done,
                   is_check ? plan_check_s(plan, item->index) : plan_measure_s(plan, item->index),
                   label.text);
    strbuf_fini(&label);
}
