// SPDX-License-Identifier: Apache-2.0
//
// How is a run begun, taken up again, checked and ended? The run's folder is locked, the plan is written
// before anything runs, and the journal is replayed on resume. Rounds are executor_round.c, what workers say
// job.c.
#include "control/exec/executor.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/exec/job.h"

static char *path_in(const struct executor *executor, const char *name) {
    return path_join(executor->run_dir, name);
}

static int lock(struct executor *executor, struct err *err) {
    char *path = path_in(executor, "lock");
    int code = file_lock_open(path, false, &executor->state->lock_fd, err);
    if (code == -ERR_UNAVAILABLE) {
        code =
            err_set(err, ERR_UNAVAILABLE,
                    "the run in '%s' is being carried out by another assay; wait for it", executor->run_dir);
    }
    free(path);
    return code;
}

static int open_journal(struct executor *executor, struct err *err) {
    char *path = path_in(executor, "journal.jsonl");
    int code = journal_open(path, &executor->journal, err);
    free(path);
    return code < 0 ? code : file_make_dirs(executor->state->reference_dir, err);
}

static void begin(struct executor *executor, const char *run_dir, const struct plan *plan,
                  struct result *result) {
    executor->run_dir = run_dir;
    executor->plan = plan;
    executor->result = result;
    executor->journal = NULL;
    executor->is_over_limit = false;
    executor->state = mem_alloc(sizeof *executor->state);
    executor->state->lock_fd = -1;
    executor->state->reference_dir = path_in(executor, "references");
}

static int create_files(struct executor *executor, struct err *err) {
    char *path = path_in(executor, "plan.json");
    int code = file_make_dirs(executor->run_dir, err);
    if (code >= 0) code = lock(executor, err);
    if (code >= 0 && file_exists(path)) {
        code = err_set(err, ERR_CREATE, "there is a run in '%s' already; resume it, or choose another folder",
                       executor->run_dir);
    }
    if (code >= 0) code = plan_write_file(executor->plan, path, err);
    if (code >= 0) code = open_journal(executor, err);
    if (code >= 0) code = executor_hold_program(executor, err);
    free(path);
    return code;
}

int executor_create(struct executor *executor, const char *run_dir, const struct plan *plan,
                    struct result *result, struct err *err) {
    begin(executor, run_dir, plan, result);
    int code = create_files(executor, err);
    if (code < 0) {
        executor->state->has_failed = true;
        executor_close(executor);
    }
    return code;
}

static int on_replay(void *arg, const struct record *record, struct err *err) {
    struct executor *executor = arg;
    if (record->kind == RECORD_ROUND && record->round < EXECUTOR_ROUNDS_MAX) {
        executor->state->is_round_done[record->round] = true;
    }
    if (record->kind == RECORD_PROGRAM && record->text) {
        snprintf(executor->state->program, sizeof executor->state->program, "%s", record->text);
    }
    return result_add_record(executor->result, record, err);
}

static int reopen_files(struct executor *executor, struct err *err) {
    char *plan_path = path_in(executor, "plan.json"), *journal_path = path_in(executor, "journal.jsonl");
    int code = 0;
    if (!file_exists(plan_path)) {
        code = err_set(err, ERR_NO_INPUT, "there is no run in '%s': its plan.json is missing",
                       executor->run_dir);
    }
    if (code >= 0) code = lock(executor, err);
    if (code >= 0) code = journal_replay(journal_path, on_replay, executor, err);
    if (code >= 0) code = open_journal(executor, err);
    if (code >= 0) code = executor_hold_program(executor, err);
    executor->result->clock_seen_ns = 0; // the worker of that time is gone
    free(plan_path);
    free(journal_path);
    return code;
}

int executor_resume(struct executor *executor, const char *run_dir, const struct plan *plan,
                    struct result *result, struct err *err) {
    begin(executor, run_dir, plan, result);
    int code = reopen_files(executor, err);
    if (code < 0) {
        executor->state->has_failed = true;
        executor_close(executor);
    }
    return code;
}

void executor_close(struct executor *executor) {
    struct executor_state *state = executor->state;
    if (!state) return;
    journal_close(executor->journal);
    if (!state->has_failed && !executor->are_references_kept) file_remove_tree(state->reference_dir, NULL);
    file_lock_close(state->lock_fd);
    free(state->reference_dir);
    free(state);
    executor->state = NULL;
    executor->journal = NULL;
}

// Work done so far in cases: those of the matrix, and one for every case and round.
static double work_done(const struct executor *executor) {
    const struct result *result = executor->result;
    double done = 0;
    for (size_t i = 0; i < result->check_count; ++i) {
        bool is_open = false;
        for (uint32_t side = 0; side < result->side_count; ++side) {
            const bool takes_part = executor->plan->check_side_mask >> side & 1;
            if (takes_part && result->checks[i].checks[side].outcome == OUTCOME_NONE) is_open = true;
        }
        if (!is_open) done += 1;
    }
    for (size_t i = 0; i < result->case_count; ++i) {
        for (size_t r = 0; r < result->cases[i].round_count; ++r) done += result->cases[i].rounds[r].is_valid;
    }
    return done;
}

void executor_show_progress(struct executor *executor, const char *name, const char *what) {
    if (!executor->progress) return;
    struct strbuf label = {0};
    strbuf_addf(&label, "%s %s", name, what);
    progress_set(executor->progress, work_done(executor), label.text);
    strbuf_fini(&label);
}

// Sides of a case of the matrix that have no outcome yet.
static uint32_t open_sides(const struct executor *executor, uint32_t index) {
    uint32_t mask = 0;
    for (uint32_t side = 0; side < executor->plan->side_count; ++side) {
        const bool takes_part = executor->plan->check_side_mask >> side & 1;
        if (takes_part && executor->result->checks[index].checks[side].outcome == OUTCOME_NONE)
            mask |= 1u << side;
    }
    return mask;
}

static uint32_t lowest_side(uint32_t mask) {
    return (uint32_t)__builtin_ctz(mask);
}

static int judge_checks(struct job *job, struct err *err) {
    int code = executor_judge_end(job, err);
    if (code < 0) return code;
    struct executor *executor = job->executor;
    if (code == EXECUTOR_DIED_AFTER) {
        uint32_t mask = 0;
        TRY(executor_keep_late_death(job, job->case_mask, &mask, err));
        for (uint32_t side = 0; side < executor->plan->side_count && executor->on_check; ++side) {
            if (mask >> side & 1) executor->on_check(executor->arg, executor->result, job->case_index, side);
        }
        return 0;
    }
    if (code > 0) {
        const uint32_t open = open_sides(executor, job->case_index) & job->case_mask;
        uint32_t side = job->case_side;
        if (side == RECORD_SIDE_ALL) side = open ? lowest_side(open) : lowest_side(job->case_mask);
        TRY(executor_keep_death(job, side, "", err));
        if (executor->on_check) executor->on_check(executor->arg, executor->result, job->case_index, side);
        return 0;
    }
    if (job->finished_count > 0) return 0;
    return err_set(err, ERR_INTERNAL, "a worker ended well but checked nothing");
}

// One worker for every case that is open. Sides that must not share a process get workers of their own.
static int run_check_pass(struct executor *executor, const uint32_t *indices, size_t count, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    struct job job = {.mode = JOB_CHECK, .executor = executor, .order = &order};
    uint32_t any_mask = 0;
    plan_check_order(executor->plan, indices, count, &arena, &order);
    order.reference_dir = executor->state->reference_dir;
    for (size_t i = 0; i < order.case_count; ++i) {
        order.cases[i].side_mask = open_sides(executor, order.cases[i].index);
        any_mask |= order.cases[i].side_mask;
    }
    job_map_all(&job);
    if (executor->plan->needs_two_processes) {
        const struct work_order all = order;
        job.side_map[0] = lowest_side(any_mask);
        order_of_one_side(&all, job.side_map[0], UINT32_MAX, &arena, &order);
    }
    int code = job_run(&job, err);
    if (code >= 0) code = judge_checks(&job, err);
    job_fini(&job);
    arena_fini(&arena);
    return code;
}

int executor_run_checks(struct executor *executor, struct err *err) {
    const size_t check_count = executor->plan->check_count;
    uint32_t *indices = mem_alloc(check_count * sizeof *indices);
    int code = 0;
    size_t sides_before = SIZE_MAX;
    while (code >= 0) {
        size_t count = 0, sides = 0;
        for (uint32_t i = 0; i < check_count; ++i) {
            const uint32_t mask = open_sides(executor, i);
            if (mask) indices[count++] = i;
            sides += (size_t)__builtin_popcount(mask);
        }
        if (count == 0) break;
        if (sides >= sides_before) BUG("a worker answered, but no case was settled");
        sides_before = sides;
        code = run_check_pass(executor, indices, count, err);
    }
    free(indices);
    return executor_fail(executor, code, err);
}
