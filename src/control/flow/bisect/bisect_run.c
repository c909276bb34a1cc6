// SPDX-License-Identifier: Apache-2.0
//
// See bisect_run.h: opens or reads a bisect, measures its two ends, then commit after commit.
#include "control/flow/bisect/bisect_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/signed_figure.h"
#include "control/exec/executor.h"
#include "control/flow/bisect/bisect_gate_internal.h"
#include "control/flow/bisect/bisect_outcome_internal.h"
#include "control/flow/run_plan.h"
#include "control/flow/session.h"
#include "record/run_id.h"

// ---- opening ----

static int check_request(const struct bisect_request *request, struct err *err) {
    if (!(request->certainty_pct >= 50 && request->certainty_pct <= 99.99))
        return err_set(err, ERR_USAGE, "--certainty takes 50 to 99.99 per cent, not %g",
                       request->certainty_pct);
    if (request->session.resume && request->range)
        return err_set(err, ERR_USAGE, "--resume goes on with the commits of its bisect; leave '%s' out",
                       request->range);
    if (!request->session.resume && !request->range)
        return err_set(
            err, ERR_USAGE,
            "which commits? Write 'assay bisect GOOD..BAD', such as v1.2..HEAD: GOOD is the one that "
            "was fast enough");
    return gate_spec_check(&request->spec, err);
}

static uint32_t default_gate_max(size_t commit_count) {
    return (uint32_t)ceil(log2((double)commit_count)) + 1 + BISECT_GATES_SPARE;
}

// What was asked for, as the record keeps it. Everything is copied.
static void fill_record(struct bisect *bisect, const struct bisect_request *request,
                        const struct session *session, const char *kernel) {
    const struct session_options *options = &session->options;
    struct bisect_record *record = &bisect->record;
    struct arena *arena = &bisect->arena;
    struct plan named = {0}; // gives a run its name
    run_plan_init(&named, session, "bisect");
    record->run_id = arena_strdup(arena, named.run_id);
    record->created_utc = arena_strdup(arena, named.created_utc);
    plan_fini(&named);
    record->command_line = arena_strdup(arena, options->command_line);
    record->has_all_commits = request->has_all_commits;
    record->manifest = arena_strdup(arena, options->manifest);
    record->kernel = arena_strdup(arena, kernel);
    record->device = arena_strdup(arena, options->device);
    record->processors = arena_strdup(arena, options->cpus);
    record->lock_clocks = arena_strdup(arena, options->lock_clocks);
    record->suite = arena_strdup(arena, options->suite);
    record->only = arena_strdup(arena, options->only);
    record->dtype = arena_strdup(arena, options->dtype);
    record->problem = arena_strdup(arena, options->problem);
    record->seed = options->seed;
    record->thread_count = options->thread_count;
    record->round_count = request->fixed_round_count;
    record->is_calibration_ignored = request->is_calibration_ignored;
    record->is_priority_given = options->is_priority_given;
    record->is_metric_given = options->is_metric_given;
    record->is_case_time_given = options->is_case_time_given;
    record->is_isolation_given = options->is_isolation_given;
    record->certainty_pct = request->certainty_pct;
    record->regression_pct = request->spec.regression_pct;
    record->improvement_pct = request->spec.improvement_pct;
    record->probability_pct = NAN;
    record->sampling = options->sampling;
    if (record->sampling.sample_count == SESSION_SAMPLES_DEFAULT) record->sampling.sample_count = 0;
}

static int read_history(struct bisect *bisect, const char *dir, const struct revision_range *range,
                        struct err *err) {
    TRY(revision_history_read(dir, range, &bisect->arena, &bisect->history, err));
    const size_t count = bisect->history.commit_count;
    if (bisection_init(&bisect->search, count, !range->has_all_commits) < 0)
        return err_set(err, ERR_INTERNAL, "no memory for a search among %zu commits", count);
    for (size_t i = 0; range->has_all_commits && i < count; ++i)
        for (size_t k = 0; k < bisect_commit(bisect, i)->parent_count; ++k)
            bisection_add_parent(&bisect->search, i, bisect_commit(bisect, i)->parents[k]);
    return 0;
}

static int begin(struct bisect *bisect, const struct bisect_request *request, const struct session *session,
                 struct err *err) {
    struct bisect_record *record = &bisect->record;
    struct revision_range range = {.has_all_commits = request->has_all_commits};
    const char *kernel = session_default_kernel(session);
    TRY(revision_range_parse(request->range, &bisect->arena, &range, err));
    if (!session->has_manifest)
        return err_set(
            err, ERR_USAGE,
            "a bisect needs a manifest, which says how the kernel is built: there is no assay.yaml "
            "here or above ('assay init' writes one)");
    if (!kernel) return session_fail_unnamed(session, "which kernel became slower?", "--kernel", err);
    TRY(read_history(bisect, session->manifest.dir, &range, err));
    fill_record(bisect, request, session, kernel);
    record->good_name = range.good;
    record->bad_name = range.bad;
    record->good = bisect->history.good;
    record->bad = bisect_commit(bisect, bisect->history.commit_count - 1)->id;
    record->commit_count = (uint32_t)bisect->history.commit_count;
    record->gate_max = request->gate_max ? request->gate_max : default_gate_max(record->commit_count);
    bisect->dir = path_join(session->options.output_dir, record->run_id);
    return 0;
}

static int find_dir(const char *name, const char *root, char **ret_dir, struct err *err) {
    char *dir = run_dir_of(name, root, BISECT_FILE), *path = path_join(dir, BISECT_FILE);
    const bool is_there = file_exists(path);
    if (!is_there) err_set(err, ERR_NO_INPUT, "no bisect '%s': there is no %s", name, path);
    free(path);
    if (is_there)
        *ret_dir = dir;
    else
        free(dir);
    return is_there ? 0 : -ERR_NO_INPUT;
}

static int go_on(struct bisect *bisect, const struct session *session, struct err *err) {
    struct bisect_record *record = &bisect->record;
    TRY(find_dir(session->options.resume, session->options.output_dir, &bisect->dir, err));
    char *path = path_join(bisect->dir, BISECT_FILE);
    const int code = bisect_record_read_file(path, record, err);
    free(path);
    if (code < 0) return code;
    if (record->running_run_id && !run_id_is_valid(record->running_run_id))
        return err_set(err, ERR_DATA,
                       "%s/" BISECT_FILE ": key 'running_run_id' is '%s', which is no run's id", bisect->dir,
                       str_shown(record->running_run_id).text);
    const struct revision_range range = {record->good, record->bad, record->has_all_commits};
    TRY(read_history(bisect, str_or(session->manifest.dir, "."), &range, err));
    for (size_t i = 0; i < record->step_count; ++i) bisect_apply(bisect, &record->steps[i]);
    return 0;
}

int bisect_open(struct bisect *bisect, const struct bisect_request *request, struct err *err) {
    struct session session = {0};
    *bisect = (struct bisect){.device_lock = request->session.device_lock,
                              .is_verbose = request->session.is_verbose};
    TRY(check_request(request, err));
    int code = session_open(&session, &request->session, err);
    if (code == 0)
        code = request->session.resume ? go_on(bisect, &session, err) : begin(bisect, request, &session, err);
    session_close(&session);
    return code;
}

// ---- running ----

static int save(const struct bisect *bisect, struct err *err) {
    char *path = path_join(bisect->dir, BISECT_FILE);
    const int code = bisect_record_write_file(&bisect->record, path, err);
    free(path);
    return code;
}

// Ends on disk, so that what was found is there for whoever reads the folder.
static int end(struct bisect *bisect, const char *reason, struct err *err) {
    bisect_conclude(bisect, reason);
    return save(bisect, err);
}

static int stop(const struct bisect *bisect, struct err *err) {
    return err_set(err, ERR_CANCELLED,
                   "interrupted; what was finished is kept: go on with 'assay bisect --resume %s'",
                   bisect->dir);
}

// One commit. A gate that was begun before a kill is gone on with; if that cannot be, it is begun anew.
static int try_commit(struct bisect *bisect, size_t place, struct err *err) {
    struct bisect_record *record = &bisect->record;
    const struct bisect_callbacks *callbacks = &bisect->callbacks;
    const char *begun =
        str_equal(record->running_commit, bisect_commit(bisect, place)->id) ? record->running_run_id : NULL;
    struct bisect_step step = {0};
    if (callbacks->on_begin) callbacks->on_begin(callbacks->arg, bisect, place);
    int code = begun ? bisect_gate(bisect, place, begun, &step, err) : 0;
    if (!begun || (code < 0 && code != -ERR_CANCELLED)) code = bisect_gate(bisect, place, NULL, &step, err);
    if (code == -ERR_CANCELLED) return stop(bisect, err);
    if (code < 0) return code;
    record->gate_count += step.run_id != NULL;
    record->running_commit = record->running_run_id = NULL;
    bisect_record_add_step(record, &step);
    bisect_apply(bisect, &step);
    if (callbacks->on_step) callbacks->on_step(callbacks->arg, bisect, &step);
    return save(bisect, err);
}

// Measures BAD; *ret_reason: why there is nothing to search for. NULL: there is.
static int try_ends(struct bisect *bisect, const char **ret_reason, struct err *err) {
    const size_t bad = bisect->history.commit_count - 1;
    struct bisect_record *record = &bisect->record;
    struct arena *arena = &bisect->arena;
    *ret_reason = NULL;
    if (bisect->step.change != 0) return 0;
    for (int i = 0; i < BISECT_NO_DATA_MAX; ++i) {
        if (record->step_count == 0 || record->steps[record->step_count - 1].answer == BISECT_ANSWER_NO_DATA)
            TRY(try_commit(bisect, bad, err));
    }
    const struct bisect_step *step = &record->steps[record->step_count - 1];
    const char *why = str_or(step->reason, "no reason is known");
    switch (step->answer) {
    case BISECT_ANSWER_CHANGED: return 0;
    case BISECT_ANSWER_NOT_BUILT:
        *ret_reason = arena_format(arena,
                                   "BAD does not build, so there is no change to look for: %s; name "
                                   "another BAD",
                                   why);
        return 0;
    case BISECT_ANSWER_WRONG:
        *ret_reason = arena_format(arena,
                                   "BAD gives wrong results, and what is wrong is not timed: %s; name "
                                   "another BAD",
                                   why);
        return 0;
    case BISECT_ANSWER_SAME_CODE:
        *ret_reason = "GOOD and BAD are the same machine code: neither is faster";
        return 0;
    case BISECT_ANSWER_UNCHANGED:
        *ret_reason =
            arena_format(arena,
                         "BAD is %s %% (%s to %s) against GOOD, which is no change that "
                         "could be looked for; --regression PCT takes a smaller one",
                         signed_figure(step->change_pct, 1).text, signed_figure(step->change_low_pct, 1).text,
                         signed_figure(step->change_high_pct, 1).text);
        return 0;
    default:
        *ret_reason =
            arena_format(arena, "GOOD and BAD cannot be told apart (%s): no search would be sure", why);
    }
    return 0;
}

static bool is_certain(struct bisect *bisect) {
    bool *is_suspect = mem_alloc(bisect->history.commit_count * sizeof *is_suspect);
    const double p = bisection_suspects(&bisect->search, is_suspect);
    free(is_suspect);
    return p >= bisect->record.certainty_pct / 100;
}

static int search(struct bisect *bisect, struct err *err) {
    struct bisect_record *record = &bisect->record;
    while (!is_certain(bisect)) {
        const size_t place = bisection_next(&bisect->search);
        if (place >= bisect->history.commit_count)
            return end(bisect,
                       "no commit is left that could be measured; those that are most likely are listed",
                       err);
        if (record->gate_count >= record->gate_max)
            return end(
                bisect,
                arena_format(&bisect->arena,
                             "still not %g %% sure after %u gates; the machine may be too noisy for this "
                             "change: '--rounds 40' measures longer, '--max-gates N' more often",
                             record->certainty_pct, (unsigned)record->gate_count),
                err);
        TRY(try_commit(bisect, place, err));
    }
    return end(bisect, NULL, err);
}

int bisect_run(struct bisect *bisect, const struct bisect_callbacks *callbacks, struct err *err) {
    struct bisect_record *record = &bisect->record;
    const char *reason = NULL;
    bisect->callbacks = *callbacks;
    if (record->outcome) return 0;
    TRY(executor_make_dir(bisect->dir, err));
    TRY(save(bisect, err));
    int code = try_ends(bisect, &reason, err);
    if (code == -ERR_BUILD) return end(bisect, err->text, err);
    if (code < 0) return code;
    if (reason) {
        const bool is_same = record->steps[record->step_count - 1].answer == BISECT_ANSWER_SAME_CODE ||
                             record->steps[record->step_count - 1].answer == BISECT_ANSWER_UNCHANGED;
        bisect_conclude(bisect, reason);
        if (is_same) record->outcome = BISECT_OUTCOME_NO_CHANGE;
        return save(bisect, err);
    }
    if (str_equal(record->steps[record->step_count - 1].commit, record->bad)) bisect_ask_known(bisect);
    return search(bisect, err);
}
