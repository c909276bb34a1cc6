// SPDX-License-Identifier: Apache-2.0
//
// See run_folder.h: the run directory, the plan's header, and the documents at the end.
#include "control/flow/run_folder.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "control/flow/worker_query.h"
#include "control/verdict/rounds/rounds.h"
#include "control/verdict/summary.h"

#define REPEAT_PAUSE_NS UINT64_C(1000000000)

// "20261121-123456-gate-3f2a": sorts by time; the tail keeps two runs of one second apart.
static const char *make_run_id(struct arena *arena, const char *command, const char *created_utc) {
    char digits[16];
    size_t count = 0;
    for (const char *p = created_utc; *p && count < 14; ++p)
        if (*p >= '0' && *p <= '9') digits[count++] = *p;
    digits[count] = 0;
    unsigned tail = (unsigned)(rng_u64(clock_ns(), (uint64_t)getpid(), 0) & 0xffff);
    return arena_format(arena, "%.8s-%.6s-%s-%04x", digits, digits + 8, command, tail);
}

void run_plan_init(struct plan *plan, const struct session *session, const char *command) {
    *plan = (struct plan){0};
    struct arena *arena = &plan->arena;
    char now[32];
    clock_utc_text(now, sizeof now);
    plan->created_utc = arena_strdup(arena, now);
    plan->command = arena_strdup(arena, command);
    plan->command_line = arena_strdup(arena, session->options.command_line);
    plan->run_id = make_run_id(arena, command, plan->created_utc);
    plan->device = arena_strdup(arena, session->options.device);
    plan->sim = sim_device_copy(arena, session->sim);
    plan->seed = session->options.seed;
    plan->thread_count = session->options.thread_count;
    plan->side_count = session->side_count;
    for (size_t i = 0; i < session->side_count; ++i) {
        plan->sides[i] = result_side_copy(arena, &session->sides[i].side);
        plan->check_side_mask |= 1u << i;
        if (session->sides[i].has_unique_symbols && session->side_count > 1) plan->needs_two_processes = true;
    }
    plan->look_count = 1;
    plan->looks[0] = 1;
    plan->round_repeat_max = ROUNDS_REPEAT_MAX;
    plan->gate.spec = session->manifest.gate.spec;
    plan->target_speedup = session->manifest.target_speedup;
    plan->cost_per_hour = session->manifest.cost_per_hour;
    plan->manifest = arena_strdup(arena, session->options.manifest);
    plan->case_limit_s = session->manifest.limits.case_s;
    if (str_equal(command, "gate")) plan->run_limit_s = session->manifest.limits.gate_s;
    plan->memory_limit_gb = session->manifest.limits.memory_gb;
    plan->sampling = session->options.sampling;
    if (plan->sampling.sample_count == SESSION_SAMPLES_DEFAULT)
        plan->sampling.sample_count = sampling_default().sample_count;
}

void run_plan_set_round_sampling(struct plan *plan, const struct session *session) {
    if (session->options.sampling.sample_count != SESSION_SAMPLES_DEFAULT) return;
    plan->sampling.sample_count = ROUND_PAIRS;
    plan->sampling.sample_count_noisy = ROUND_PAIRS_NOISY;
    plan->sampling.sample_count_noisier = ROUND_PAIRS_NOISIER;
}

static void add_case(struct arena *arena, struct plan_case **items, size_t *count,
                     const struct plan_case *item) {
    // Grown by doubling inside the arena: a plan has tens of cases.
    if ((*count & (*count - 1)) == 0) {
        struct plan_case *grown = arena_array(arena, *count ? *count * 2 : 1, sizeof **items);
        if (*count) memcpy(grown, *items, *count * sizeof **items);
        *items = grown;
    }
    (*items)[(*count)++] = *item;
}

void run_plan_add_check(struct plan *plan, const struct op_case *item, const char *short_name,
                        uint64_t seed) {
    struct plan_case made = {
        .problem = item->problem,
        .short_name = arena_strdup(&plan->arena, short_name),
        .distribution = arena_strdup(&plan->arena, item->distribution),
        .memory_layout = item->memory_layout,
        .seed = seed,
    };
    add_case(&plan->arena, &plan->checks, &plan->check_count, &made);
}

void run_plan_add_suite(struct plan *plan, const struct suite *suite, bool is_check) {
    for (size_t i = 0; i < suite->item_count; ++i) {
        struct plan_case made = {
            .problem = suite->items[i].problem,
            .short_name = arena_strdup(&plan->arena, suite->items[i].short_name),
            .distribution = OP_DISTRIBUTION_DEFAULT,
            .memory_layout = MEMORY_LAYOUT_DENSE,
            .seed = plan->seed,
        };
        if (is_check)
            add_case(&plan->arena, &plan->checks, &plan->check_count, &made);
        else
            add_case(&plan->arena, &plan->cases, &plan->case_count, &made);
    }
    const char *name = arena_strdup(&plan->arena, suite->name);
    if (is_check)
        plan->check_suite = name;
    else
        plan->suite = name;
}

enum { RUN_ID_SECOND_CHARS = 15 }; // "20261121-120000"

// An id begins with its second; runs of one second follow each other as their files do.
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

static char *newest_run(const char *root) {
    size_t count = 0;
    struct run_entry *runs = run_list(root, "plan.json", &count);
    char *newest = count ? mem_strdup(runs[0].id) : NULL;
    run_list_free(runs, count);
    return newest;
}

int run_find(const struct session_options *options, char **ret_dir, struct err *err) {
    char *name =
        str_equal(options->resume, "last") ? newest_run(options->output_dir) : mem_strdup(options->resume);
    if (!name) return err_set(err, ERR_NO_INPUT, "no run to resume in '%s'", options->output_dir);
    char *dir = strchr(name, '/') ? mem_strdup(name) : path_join(options->output_dir, name);
    char *plan = path_join(dir, "plan.json");
    int code = 0;
    if (file_exists(plan))
        *ret_dir = dir;
    else
        code = err_set(err, ERR_NO_INPUT, "no run '%s': there is no %s", options->resume, plan);
    if (code < 0) free(dir);
    free(plan);
    free(name);
    return code;
}

static int start_executor(struct run *run, struct err *err) {
    if (run->is_resumed) return executor_resume(&run->executor, run->dir, &run->plan, &run->result, err);
    return executor_create(&run->executor, run->dir, &run->plan, &run->result, err);
}

// As asked for; a run that goes on, or repeats a stored one, as its plan says.
static int hold_clocks(struct run *run, const struct session *session, struct err *err) {
    struct sampling *sampling = &run->plan.sampling;
    char planned[16];
    snprintf(planned, sizeof planned, "%u", (unsigned)sampling->locked_clock_mhz);
    const char *wanted = sampling->locked_clock_mhz > 0 ? planned : NULL;
    if (session->options.lock_clocks) wanted = session->options.lock_clocks;
    if (!wanted) return 0;
    return clock_lock_open(run->plan.device, wanted, &run->clock_lock, &sampling->locked_clock_mhz, err);
}

int run_open(struct run *run, const struct session *session, struct plan *plan,
             const struct run_callbacks *callbacks, struct err *err) {
    *run = (struct run){0};
    run->root = mem_strdup(session->options.output_dir);
    run->is_resumed = session->options.resume != NULL;
    if (run->is_resumed) {
        plan_fini(plan);
        TRY(run_find(&session->options, &run->dir, err));
        char *path = path_join(run->dir, "plan.json");
        int code = plan_read_file(path, &run->plan, err);
        free(path);
        if (code < 0) return code;
        if (!str_equal(run->plan.command, session->options.command))
            return err_set(err, ERR_USAGE,
                           "run %s was begun by 'assay %s'; resume it with 'assay %s --resume %s'",
                           run->plan.run_id, run->plan.command, run->plan.command, session->options.resume);
    } else {
        run->plan = *plan;
        *plan = (struct plan){0};
        run->dir = path_join(run->root, run->plan.run_id);
    }
    TRY(hold_clocks(run, session, err));
    TRY(plan_result(&run->plan, &run->result, err));
    // The executor lends the callbacks and the progress line; the plan's work is counted in cases.
    uint32_t rounds = run->plan.look_count ? run->plan.looks[run->plan.look_count - 1] : 0;
    double total = (double)run->plan.check_count + (double)run->plan.case_count * rounds;
    progress_init(&run->progress, total, callbacks->wants_progress);
    TRY(start_executor(run, err));
    run->executor.progress = &run->progress;
    run->executor.on_check = callbacks->on_check;
    run->executor.on_round = callbacks->on_round;
    run->executor.on_output = callbacks->on_output;
    run->executor.arg = callbacks->arg;
    run->executor.repeat_pause_ns = run->plan.sim ? 0 : REPEAT_PAUSE_NS; // simulated disturbances do not wait
    if (run->plan.run_limit_s > 0)
        run->executor.deadline_ns = clock_ns() + (uint64_t)(run->plan.run_limit_s * 1e9);
    return 0;
}

int run_write_file(const struct run *run, const char *name, const char *text, struct err *err) {
    char *path = path_join(run->dir, name);
    int code = file_write_atomic(path, text, strlen(text), err);
    free(path);
    return code;
}

void run_add_ceilings(struct result *result) {
    struct ceilings ceilings;
    const char *uuid = result->environment.device_uuid;
    if (!uuid || !ceilings_find(uuid, result->environment.thread_count, &result->arena, &ceilings)) return;
    result->environment.ceiling_gflop_per_s = ceilings.fma_gflop_per_s;
    result->environment.ceiling_gb_per_s = ceilings.read_gb_per_s;
}

int run_need_ceilings(struct run *run, struct err *err) {
    struct ceilings ceilings;
    if (run->plan.sim) return 0; // it has none
    run_add_ceilings(&run->result);
    if (isfinite(run->result.environment.ceiling_gflop_per_s)) return 0;
    TRY(query_ceilings(run->plan.device, run->plan.thread_count, &run->result.arena, &ceilings, err));
    run_add_ceilings(&run->result);
    return 0;
}

int run_write_result(struct run *run, struct err *err) {
    TRY(clock_lock_hold(run->clock_lock, err));
    run_add_ceilings(&run->result);
    if (summary_set_all(&run->result) < 0)
        return err_set(err, ERR_INTERNAL, "no memory for the summaries of the run");
    char *path = path_join(run->dir, "result.json");
    int code = result_write_file(&run->result, path, err);
    free(path);
    return code;
}

int run_publish(const struct run *run, struct err *err) {
    const struct result *result = &run->result;
    char *path = path_join(run->root, "summary.json");
    int code = result_write_file(result, path, err);
    free(path);
    for (size_t i = 0; code == 0 && i < result->case_count; ++i) {
        struct strbuf text = {0};
        result_write_case(result, i, &text);
        char name[PROBLEM_NAME_BYTES];
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
