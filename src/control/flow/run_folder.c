// SPDX-License-Identifier: Apache-2.0
//
// See run_folder.h: listing and finding runs, opening one, writing its documents, closing it.
#include "control/flow/run_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/flow/ceilings.h"
#include "control/flow/device_lock.h"
#include "control/flow/run_plan.h"
#include "verdict/rounds/rounds.h"
#include "verdict/summary.h"

#define REPEAT_PAUSE_NS UINT64_C(1000000000)

// ---- listing and finding ----

#define RUN_ID_SECOND_CHARS 15 // "20261121-120000"

// An id begins with its second; runs of the same second are ordered by the times of their files.
static int compare_newest_first(const void *a, const void *b) {
    const struct run_entry *x = a, *y = b;
    const int by_second = strncmp(y->id, x->id, RUN_ID_SECOND_CHARS);
    if (by_second) return by_second;
    if (x->written.tv_sec != y->written.tv_sec) return x->written.tv_sec < y->written.tv_sec ? 1 : -1;
    if (x->written.tv_nsec != y->written.tv_nsec) return x->written.tv_nsec < y->written.tv_nsec ? 1 : -1;
    return strcmp(y->id, x->id);
}

struct run_entry *run_list(const char *root, const char *file, size_t *ret_count) {
    struct run_entry *runs = NULL;
    size_t count = 0, capacity = 0;
    DIR *dir = opendir(root);
    *ret_count = 0;
    if (!dir) return NULL;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat status;
        char *path = mem_format("%s/%s/%s", root, entry->d_name, file);
        if (entry->d_name[0] != '.' && stat(path, &status) == 0) {
            MEM_GROW(runs, capacity, count + 1);
            runs[count++] = (struct run_entry){mem_strdup(entry->d_name), status.st_mtim};
        }
        free(path);
    }
    closedir(dir);
    if (count) qsort(runs, count, sizeof *runs, compare_newest_first);
    *ret_count = count;
    return runs;
}

void run_list_free(struct run_entry *runs, size_t count) {
    for (size_t i = 0; i < count; ++i) free(runs[i].id);
    free(runs);
}

char *run_dir_of(const char *name, const char *root, const char *file) {
    size_t count = 0;
    struct run_entry *runs = str_equal(name, "last") ? run_list(root, file, &count) : NULL;
    char *dir = strchr(name, '/') ? mem_strdup(name) : path_join(root, count ? runs[0].id : name);
    run_list_free(runs, count);
    return dir;
}

int run_find(const char *name, const char *root, char **ret_dir, struct err *err) {
    char *dir = run_dir_of(name, root, "plan.json"), *plan = path_join(dir, "plan.json");
    int code = 0;
    if (file_exists(plan))
        *ret_dir = dir;
    else if (str_equal(name, "last"))
        code = err_set(err, ERR_NO_INPUT, "there is no run in '%s' yet", root);
    else
        code = err_set(err, ERR_NO_INPUT, "no run '%s': there is no %s", name, plan);
    if (code < 0) free(dir);
    free(plan);
    return code;
}

// dir: which has no result.
static int fail_without_result(const char *name, const char *root, const char *dir, struct err *err) {
    char *plan = path_join(dir, "plan.json");
    const bool is_begun = file_exists(plan);
    free(plan);
    if (str_equal(name, "last"))
        return err_set(err, ERR_NO_INPUT, "there is no finished run in '%s' yet", root);
    if (is_begun)
        return err_set(err, ERR_NO_INPUT,
                       "run '%s' was begun and has no result: end it with the command that began it and "
                       "--resume %s",
                       name, name);
    return err_set(err, ERR_NO_INPUT, "no run '%s': there is no %s/result.json", name, dir);
}

int run_find_result(const char *name, const char *root, char **ret_path, struct err *err) {
    if (file_exists(name) && !file_is_dir(name)) {
        *ret_path = mem_strdup(name);
        return 0;
    }
    if (str_ends(name, ".json")) return err_set(err, ERR_NO_INPUT, "there is no file '%s'", name);
    char *dir = run_dir_of(name, root, "result.json"), *path = path_join(dir, "result.json");
    int code = 0;
    if (file_exists(path))
        *ret_path = path;
    else
        code = fail_without_result(name, root, dir, err);
    if (code < 0) free(path);
    free(dir);
    return code;
}

// ---- opening ----

// Locks the clocks if --lock-clocks is given, else if the plan says so (a resumed run, or one that repeats a
// stored baseline).
static int lock_clocks(struct run *run, const char *option, struct err *err) {
    uint32_t *mhz = &run->plan.sampling.locked_clock_mhz;
    char planned[16];
    snprintf(planned, sizeof planned, "%u", (unsigned)*mhz);
    const char *wanted = option ? option : *mhz > 0 ? planned : NULL;
    return wanted ? clock_lock_open(run->plan.device, wanted, &run->clock_lock, mhz, err) : 0;
}

// 1: it has waited.
static int take_device(const struct session *session, const char *device, uint32_t thread_count,
                       const struct run_callbacks *callbacks, struct err *err) {
    struct device_lock *lock = session->options.device_lock;
    const struct device_lock_user user = {.command = session->options.command,
                                          .device = device,
                                          .thread_count = thread_count,
                                          .on_notice = callbacks->on_notice,
                                          .arg = callbacks->arg};
    const uint64_t before_ns = device_lock_waited_ns(lock);
    TRY(device_lock_take(lock, &user, err));
    return device_lock_waited_ns(lock) > before_ns;
}

int run_take_device(const struct session *session, const struct run_callbacks *callbacks, struct err *err) {
    const struct session_options *options = &session->options;
    return session->sim ? 0 : take_device(session, options->device, options->thread_count, callbacks, err);
}

// When it has waited, other processors may be the idlest.
static int take_device_of(struct run *run, const struct session *session,
                          const struct run_callbacks *callbacks, struct err *err) {
    struct plan *plan = &run->plan;
    if (plan->sim || plan->gate.is_same_code) return 0; // nothing is run of equal machine code
    const int has_waited = take_device(session, plan->device, plan->thread_count, callbacks, err);
    TRY(has_waited);
    if (has_waited && !run->is_resumed) run_plan_choose_processors(plan, &session->options);
    return 0;
}

int run_open(struct run *run, const struct session *session, struct plan *plan,
             const struct run_callbacks *callbacks, struct err *err) {
    *run = (struct run){0};
    run->root = mem_strdup(session->options.output_dir);
    run->is_resumed = session->options.resume != NULL;
    if (run->is_resumed) {
        plan_fini(plan);
        TRY(run_find(session->options.resume, run->root, &run->dir, err));
        char *path = path_join(run->dir, "plan.json");
        int code = plan_read_file(path, &run->plan, err);
        free(path);
        if (code < 0) return code;
        if (!str_equal(run->plan.command, session->options.command))
            return err_set(err, ERR_USAGE,
                           "run %s was begun by 'assay %s'; resume it with 'assay %s --resume %s'",
                           run->plan.run_id, run->plan.command, run->plan.command, session->options.resume);
        if (!session->options.is_device_default && !str_equal(run->plan.device, session->options.device))
            return err_set(err, ERR_USAGE, "run %s is of device %s, not %s: leave --device out",
                           run->plan.run_id, run->plan.device, session->options.device);
    } else {
        run->plan = *plan;
        *plan = (struct plan){0};
        run->dir = path_join(run->root, run->plan.run_id);
    }
    TRY(take_device_of(run, session, callbacks, err));
    TRY(lock_clocks(run, session->options.lock_clocks, err));
    TRY(plan_result(&run->plan, &run->result, err));
    progress_init(&run->progress, plan_work_s(&run->plan), callbacks->wants_progress);
    run->progress.is_at_most = run->plan.look_count > 1; // the first interim analysis may decide
    int code = run->is_resumed ? executor_resume(&run->executor, run->dir, &run->plan, &run->result, err)
                               : executor_create(&run->executor, run->dir, &run->plan, &run->result, err);
    if (code < 0) return code;
    if (session->options.reference_dir)
        executor_keep_references(&run->executor, session->options.reference_dir);
    run->executor.progress = &run->progress;
    run->executor.on_check = callbacks->on_check;
    run->executor.on_output = callbacks->on_output;
    run->executor.on_notice = callbacks->on_notice;
    run->executor.arg = callbacks->arg;
    run->executor.repeat_pause_ns = run->plan.sim ? 0 : REPEAT_PAUSE_NS; // simulated disturbances do not wait
    if (run->plan.sampling.limits.gate_s > 0)
        run->executor.deadline_ns = clock_ns() + (uint64_t)(run->plan.sampling.limits.gate_s * 1e9);
    return 0;
}

// ---- documents ----

int run_write_file(const struct run *run, const char *name, const char *text, struct err *err) {
    char *path = path_join(run->dir, name);
    int code = file_write_atomic(path, text, strlen(text), err);
    free(path);
    return code;
}

int run_write_result(struct run *run, struct err *err) {
    if (!run->plan.sim) // virtual time is all that simulated devices have
        run->result.elapsed_s = (double)(clock_ns() - run->progress.start_ns) / 1e9;
    TRY(clock_lock_verify(run->clock_lock, err));
    ceilings_add_to(&run->result);
    if (summary_set_all(&run->result) < 0)
        return err_set(err, ERR_INTERNAL, "no memory for the summaries of the run");
    return result_write_in(&run->result, run->dir, err);
}

int run_publish(const struct run *run, struct err *err) {
    const struct result *result = &run->result;
    char *path = path_join(run->root, "summary.json");
    int code = result_write_file(result, path, err);
    free(path);
    for (size_t i = 0; code == 0 && i < result->case_count; ++i) {
        struct strbuf text = {0};
        result_write_case(result, i, &text);
        char name[PROBLEM_KEY_BYTES];
        char *file =
            mem_format("%s/result_%s.json", run->root, result_case_file_name(&result->cases[i], name));
        code = file_write_atomic(file, strbuf_text(&text), text.length, err);
        free(file);
        strbuf_fini(&text);
    }
    return code;
}

int run_close(struct run *run, struct err *err) {
    progress_fini(&run->progress);
    executor_close(&run->executor);
    const int code = clock_lock_close(run->clock_lock, err);
    result_fini(&run->result);
    plan_fini(&run->plan);
    free(run->dir);
    free(run->root);
    *run = (struct run){0};
    return code;
}
