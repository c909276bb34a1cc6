// SPDX-License-Identifier: Apache-2.0
//
// A profile by the counters of the process that holds the kernel: one work order to one worker. What it
// counted is written as a raw page of Nsight Compute, so that --import reads it again.
#include "control/flow/profile/profile_counters.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "control/exec/executor.h"

#define COUNT_LIMIT_S 600.0 // an interpreter that starts, and passes over a slow kernel
#define REGEX_PREFIX  "regex:"
#define OWN_PREFIX    "assay_" // device kernels of assay itself
#define DURATION_NAME "gpu__time_duration.sum"
enum { FUNCTIONS_MAX = 4096 };

struct counted {
    struct arena *arena;
    struct nsight_report *report;
    struct strbuf notes;
};

static int on_record(void *arg, const struct record *record, struct err *err) {
    struct counted *counted = arg;
    if (record->kind == RECORD_WARNING && record->text) {
        strbuf_addf(&counted->notes, "%s%s", counted->notes.length ? "; " : "", record->text);
        return 0;
    }
    if (record->kind != RECORD_COUNTERS) return 0;
    if (counted->report->launch_count == FUNCTIONS_MAX)
        return err_set(err, ERR_UNAVAILABLE, "a launch runs more than %d device functions", FUNCTIONS_MAX);
    struct launch_counters *launch = &counted->report->launches[counted->report->launch_count++];
    *launch = record->counters;
    members_own(&launch_counters_members, counted->arena, launch);
    return 0;
}

// names: what is counted; none: only what runs is listed.
static int run_order(const struct collecting *c, const char *const *names, size_t name_count,
                     struct counted *counted, struct err *err) {
    const struct session *session = c->session;
    struct work_case item = {.problem = c->item->problem,
                             .short_name = c->item->short_name,
                             .distribution = c->item->distribution,
                             .memory_layout = MEMORY_LAYOUT_DENSE,
                             .seed = session->options.seed,
                             .side_mask = 1};
    struct work_order order = {.kind = WORK_PROFILE,
                               .operators = session->manifest.operators,
                               .device = session->options.device,
                               .thread_count = session->options.thread_count,
                               .seed = session->options.seed,
                               .side_count = 1,
                               .case_count = 1,
                               .cases = &item,
                               .sampling = sampling_default()};
    order.sampling.cache_mode = c->request->cache_mode;
    order.counter_count = name_count;
    order.counters = arena_array(counted->arena, name_count, sizeof *order.counters);
    if (name_count) memcpy(order.counters, names, name_count * sizeof *names);
    order.sides[0] = work_side_of(&session->sides[0].spec);
    return executor_query(&order, COUNT_LIMIT_S, on_record, counted, err);
}

// ---- which device function is explained ----

static int matches(const char *function, const char *filter, bool *ret, struct err *err) {
    regex_t regex;
    if (!filter) {
        *ret = !function || !str_starts(function, OWN_PREFIX);
        return 0;
    }
    if (!str_starts(filter, REGEX_PREFIX)) {
        *ret = str_equal(function, filter);
        return 0;
    }
    if (regcomp(&regex, filter + strlen(REGEX_PREFIX), REG_EXTENDED | REG_NOSUB) != 0)
        return err_set(err, ERR_USAGE, "--launches '%s' is no extended regular expression of POSIX", filter);
    *ret = regexec(&regex, str_or(function, ""), 0, NULL, 0) == 0;
    regfree(&regex);
    return 0;
}

// The longest of those that match.
static int choose(const struct collecting *c, const struct nsight_report *report, size_t *ret,
                  struct err *err) {
    struct strbuf ran = {0};
    double longest = -1;
    int code = 0;
    for (size_t i = 0; i < report->launch_count && code == 0; ++i) {
        const struct launch_counters *launch = &report->launches[i];
        const double duration = nsight_find(launch, (const char *const[]){DURATION_NAME, NULL});
        bool is_wanted = false;
        code = matches(launch->function, c->request->launches, &is_wanted, err);
        strbuf_addf(&ran, "%s%s", ran.length ? ", " : "", str_or(launch->function, "?"));
        if (!is_wanted || fmax(duration, 0) <= longest) continue;
        longest = fmax(duration, 0);
        *ret = i;
    }
    if (code == 0 && longest < 0)
        code = err_set(err, ERR_UNAVAILABLE, "no device function matches '%s'; a launch runs: %.900s",
                       str_or(c->request->launches, "all but " OWN_PREFIX "*"), strbuf_text(&ran));
    strbuf_fini(&ran);
    return code;
}

// The side of the command line, built once for all problems.
static int add_side(struct session *session, const char *kernel, struct err *err) {
    if (session->side_count) return 0;
    TRY(session_add_side(session, SIDE_CANDIDATE, kernel, NULL, err));
    return session_build(session, NULL, err);
}

static struct counted counted_make(const struct collecting *c, struct nsight_report *ret) {
    struct arena *arena = &c->session->arena;
    *ret = (struct nsight_report){.launches = arena_array(arena, FUNCTIONS_MAX, sizeof *ret->launches)};
    return (struct counted){.arena = arena, .report = ret};
}

int profile_list_functions(const struct collecting *c, struct profile_collected *ret, struct err *err) {
    struct counted counted = counted_make(c, &ret->functions);
    int code = add_side(c->session, c->request->kernel, err);
    if (code == 0) code = run_order(c, NULL, 0, &counted, err);
    if (code == 0) code = choose(c, &ret->functions, &ret->function, err);
    if (code < 0) ret->functions = (struct nsight_report){0};
    strbuf_fini(&counted.notes);
    return code;
}

int profile_by_counters(const struct collecting *c, struct profile_collected *ret, struct err *err) {
    struct session *session = c->session;
    const bool is_gpu = session->kind->is_accelerator;
    struct counted counted = counted_make(c, &ret->report);
    struct strbuf csv = {0};
    size_t name_count = 0;
    const char *const *names = is_gpu ? profile_set_of_gpu(c->request->set, &name_count)
                                      : profile_set_of_cpu(c->request->set, &name_count);
    TRY(add_side(session, c->request->kernel, err));
    ret->profiler = is_gpu ? PROFILER_CUPTI : PROFILER_PERF;
    int code = run_order(c, names, name_count, &counted, err);
    if (code == 0 && !ret->report.launch_count)
        code = err_set(err, ERR_UNAVAILABLE, "nothing was counted: %s", strbuf_text(&counted.notes));
    if (code == 0) code = choose(c, &ret->report, &ret->chosen, err);
    ret->functions = ret->report;
    ret->function = ret->chosen;
    if (code == 0) nsight_csv_write(&ret->report, &csv);
    if (code == 0) code = profile_keep(c, ".csv", &csv, err);
    if (code == 0) code = profile_keep(c, ".log", &counted.notes, err);
    if (counted.notes.length) ret->note = arena_strdup(&session->arena, strbuf_text(&counted.notes));
    strbuf_fini(&counted.notes);
    strbuf_fini(&csv);
    return code;
}
