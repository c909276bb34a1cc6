// SPDX-License-Identifier: Apache-2.0
//
// See referee_run.h.
#include "control/flow/referee/referee_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "control/flow/audit_run.h"
#include "control/flow/device_lock.h"
#include "control/flow/history_keep.h"
#include "control/flow/run_plan.h"

// Seconds since the part before ended.
static double end_part(struct referee *referee) {
    const uint64_t now_ns = clock_ns(), begun_ns = referee->phase_ns;
    referee->phase_ns = now_ns;
    return (double)(now_ns - begun_ns) * 1e-9;
}

// ---- opening ----

static void describe(struct referee *referee) {
    struct referee_record *record = &referee->record;
    const struct session_options *options = &referee->session.options;
    struct arena *arena = &record->arena;
    record->candidate = arena_strdup(arena, referee->request.candidate);
    record->name = arena_strdup(arena, str_or(referee->request.name, path_base(referee->request.candidate)));
    record->command_line = arena_strdup(arena, options->command_line);
    record->device = arena_strdup(arena, options->device);
    record->created_utc = run_created_utc(arena);
    record->operator_name =
        arena_strdup(arena, session_operator(&referee->session, &referee->session.manifest)->name);
}

static int open_session(struct referee *referee, struct err *err) {
    struct session *session = &referee->session;
    TRY(session_open(session, &referee->request.fuzz.session, err));
    if (referee->request.leaves_nothing) {
        TRY(scratch_folder_open(&referee->scratch, err));
        session->options.output_dir = referee->scratch.path;
    }
    const char *name = session->options.operator_name;
    if (name && !operator_find(&session->manifest.operators, name))
        return err_set(
            err, ERR_USAGE,
            "no operator '%s'; 'assay list operators' shows those that there are, and a Python file "
            "declares one",
            str_shown(name).text);
    TRY(referee_keep_open(&session->arena, &referee->keep, err));
    if (!session->options.is_seed_given) session->options.seed = referee->keep.seed;
    session->options.reference_dir = referee->keep.reference_dir;
    describe(referee);
    return 0;
}

// A candidate that was compiled and cannot be asked what it is crashed when it was loaded, or is no module.
static bool is_own_fault(const struct session_side *side, int code) {
    if (code == -ERR_CANCELLED || code == -ERR_IO || code == -ERR_CREATE) return false;
    return side->is_built || code == -ERR_BUILD;
}

static int build(struct referee *referee, struct err *err) {
    struct referee_record *record = &referee->record;
    struct session *session = &referee->session;
    struct err why = {0};
    size_t side = 0;
    TRY(referee_add_sides(referee, err));
    const int code = session_build(session, &side, &why);
    record->build_s = end_part(referee);
    if (code == 0) {
        const struct build_report *report = &session->sides[0].spec.build;
        record->code_hash = arena_strdup(&record->arena, report->code_hash);
        record->source_hash = arena_strdup(&record->arena, report->source_hash);
        return 0;
    }
    if (side > 0 || !is_own_fault(&session->sides[0], code)) return err_set(err, why.code, "%s", why.text);
    record->verdict = session->sides[0].is_built ? REFEREE_DOES_NOT_LOAD : REFEREE_DOES_NOT_COMPILE;
    record->message = arena_strdup(&record->arena, why.text);
    if (record->verdict == REFEREE_DOES_NOT_COMPILE)
        record->compiler = arena_strdup(&record->arena, str_or(strchr(why.text, '\n'), why.text));
    return 0;
}

// ---- checks and rounds ----

// Whether a call ended because the time that a candidate has is over.
static bool is_out_of_time(const struct referee *referee, int code) {
    return code == -ERR_UNAVAILABLE && referee->run.executor.is_over_limit;
}

// One failure is enough: nothing more is tried.
static void stop_at_failure(void *arg, const struct result *result, uint32_t case_index, uint32_t side) {
    struct referee *referee = arg;
    if (outcome_is_wrong(result->checks[case_index].checks[side].outcome))
        referee->run.executor.deadline_ns = clock_ns();
}

static void fail_late(struct referee *referee) {
    referee->record.verdict = REFEREE_TIMED_OUT;
    referee->record.message =
        arena_format(&referee->record.arena, "it was not done after %.3g s, which --time-limit gives it",
                     (double)referee->request.limit_ns * 1e-9);
}

static int ask_whether_judged(struct referee *referee, struct err *err) {
    struct referee_record *record = &referee->record;
    struct audit_faults faults;
    if (referee_keep_is_judged(&referee->run.plan)) return 0;
    TRY(audit_not_judged(&referee->run.plan, 0, &record->arena, &faults, err));
    if (!faults.count) {
        referee_keep_add_judged(&referee->run.plan);
        return 0;
    }
    record->verdict = REFEREE_NOT_JUDGED;
    record->message = faults.items[0].sentence;
    record->notes = arena_array(&record->arena, faults.count + 1, sizeof *record->notes);
    for (size_t i = 0; i < faults.count; ++i)
        if (faults.items[i].to_do) record->notes[record->note_count++] = faults.items[i].to_do;
    return 0;
}

static int check(struct referee *referee, struct err *err) {
    struct err why = {0};
    const int code = executor_run_checks(&referee->run.executor, &why);
    referee->record.check_s = end_part(referee);
    if (code < 0 && !is_out_of_time(referee, code)) return err_set(err, why.code, "%s", why.text);
    if (referee_judge_checks(referee)) return 0;
    if (code < 0)
        fail_late(referee);
    else
        TRY(ask_whether_judged(referee, err));
    return 0;
}

static bool has_time(const struct referee_record *record) {
    for (size_t i = 0; i < record->problem_count; ++i)
        if (!(record->problems[i].median_ns > 0)) return false;
    return record->problem_count > 0;
}

static int measure(struct referee *referee, struct err *err) {
    struct run *run = &referee->run;
    struct err why = {0};
    const int code = executor_run_rounds(&run->executor, run->plan.looks[0], &why);
    if (code < 0 && !is_out_of_time(referee, code)) return err_set(err, why.code, "%s", why.text);
    TRY(run_write_result(run, err));
    referee->record.measure_s = end_part(referee);
    if (referee_judge_checks(referee)) return 0;
    referee_add_ratios(referee);
    referee->record.verdict = has_time(&referee->record) ? REFEREE_RIGHT : REFEREE_NOT_MEASURED;
    return 0;
}

static int try_candidate(struct referee *referee, const struct run_callbacks *callbacks, struct err *err) {
    struct referee_record *record = &referee->record;
    struct run_callbacks own = *callbacks;
    struct plan plan = {0};
    own.on_check = stop_at_failure;
    own.arg = referee;
    TRY(referee_plan(referee, &plan, err));
    TRY(run_open(&referee->run, &referee->session, &plan, &own, err));
    record->run_id = arena_strdup(&record->arena, referee->run.plan.run_id);
    record->suite = arena_strdup(&record->arena, referee->run.plan.suite);
    referee->phase_ns = clock_ns(); // it may have waited for the device
    TRY(check(referee, err));
    if (!record->verdict && referee->request.round_count) TRY(measure(referee, err));
    if (!record->verdict) record->verdict = REFEREE_RIGHT;
    const struct environment *environment = &referee->run.result.environment;
    record->device_name = arena_strdup(&record->arena, environment->device_name);
    record->device_uuid = arena_strdup(&record->arena, environment->device_uuid);
    const bool is_profiled = referee->request.wants_profile && record->verdict == REFEREE_RIGHT;
    return is_profiled ? referee_profile(referee, err) : 0;
}

int referee_run(struct referee *referee, const struct referee_request *request,
                const struct run_callbacks *callbacks, struct err *err) {
    *referee = (struct referee){.request = *request, .start_ns = clock_ns()};
    referee->phase_ns = referee->start_ns;
    referee_record_init(&referee->record);
    TRY(open_session(referee, err));
    TRY(build(referee, err));
    if (!referee->record.verdict) TRY(try_candidate(referee, callbacks, err));
    progress_fini(&referee->run.progress);
    referee_conclude(referee);
    const uint64_t waited_ns = device_lock_waited_ns(referee->session.options.device_lock);
    referee->record.all_s = (double)(clock_ns() - referee->start_ns - waited_ns) * 1e-9;
    return 0;
}

const char *referee_history_keep(struct referee *referee, const struct strbuf *document) {
    const char *warning = NULL;
    struct stored_answer row = stored_answer_of(&referee->record);
    history_keep_answer(&referee->session, &row, document, &warning);
    return warning;
}

// The candidate's module, where it came as a library: a folder of its own in the cache.
static void forget_module(const struct referee *referee) {
    const char *module = referee->session.side_count ? referee->session.sides[0].spec.module_path : NULL;
    char *cache = path_cache_dir(), *folder = module ? path_dir(module) : NULL;
    char *modules = path_join(cache, "modules");
    if (path_is_within(folder, modules)) file_remove_tree(folder, NULL);
    free(modules);
    free(folder);
    free(cache);
}

int referee_close(struct referee *referee, struct err *err) {
    const int code = run_close(&referee->run, err);
    if (referee->request.leaves_nothing) forget_module(referee);
    scratch_folder_close(&referee->scratch);
    session_close(&referee->session);
    referee_record_fini(&referee->record);
    return code;
}
