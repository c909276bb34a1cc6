// SPDX-License-Identifier: Apache-2.0
//
// See explain.h. Both sides are profiled on one problem after the other, with the inputs of the decision's
// run: its seed.
#include "control/flow/profile/explain.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "control/flow/profile/profile_files.h"
#include "control/flow/profile/profile_history.h"
#include "control/flow/profile/profile_run.h"
#include "control/flow/profile/roofline_result.h"
#include "profile/what_moved.h"

enum { CASES_WITHOUT_ASKING = 3, HOST_BYTES = 256 };

static const char *const side_words[2] = {"baseline", "candidate"};

// One side as its own session, so that it is profiled as `assay profile` would.
struct explained_side {
    struct session session; // zeroed: not open
    const char *folder;
    struct profiled launch; // the last one
};

// ---- which problems ----

static double size_of_change(const struct decision_case *item) {
    return fabs(log1p(item->change_pct / 100));
}

static int by_change(const void *a, const void *b) {
    const double left = size_of_change(*(const struct decision_case *const *)a);
    const double right = size_of_change(*(const struct decision_case *const *)b);
    return (left < right) - (left > right);
}

static bool is_wanted(const struct decision_case *item, bool is_asked_for) {
    if (!isfinite(item->change_pct) || item->verdict == VERDICT_WRONG) return false;
    if (is_asked_for) return true;
    return item->verdict != VERDICT_NOT_VALID &&
           (item->change_pct > EXPLAIN_SLOWER_PCT || item->change_pct < -EXPLAIN_FASTER_PCT);
}

static size_t choose_cases(const struct explain_request *request, struct arena *arena,
                           const struct decision_case ***ret) {
    const struct decision *decision = request->decision;
    const struct decision_case **chosen = arena_array(arena, decision->case_count + 1, sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; i < decision->case_count; ++i)
        if (is_wanted(&decision->cases[i], request->is_asked_for)) chosen[count++] = &decision->cases[i];
    qsort(chosen, count, sizeof *chosen, by_change);
    if (!request->is_asked_for && count > CASES_WITHOUT_ASKING) count = CASES_WITHOUT_ASKING;
    *ret = chosen;
    return count;
}

// ---- one side ----

// The module that was measured, on the machine where it was.
static int check_is_here(const struct result *result, const struct result_side *side, const char *which,
                         struct err *err) {
    char host[HOST_BYTES] = "", hash[SHA256_HEX_BYTES] = "";
    const char *made_on = result->environment.host, *path = side->module_path;
    (void)gethostname(host, sizeof host - 1);
    if (result->external_format)
        return err_set(err, ERR_UNAVAILABLE, "the %s is another tool's file, which names no kernel to run",
                       which);
    if (!made_on || !result->environment.device)
        return err_set(err, ERR_UNAVAILABLE, "the %s's file does not say where it was measured", which);
    if (!str_equal(made_on, host))
        return err_set(err, ERR_UNAVAILABLE, "the %s was measured on '%s': explain it there", which,
                       str_shown(made_on).text);
    if (side->python && side->revision)
        return err_set(
            err, ERR_UNAVAILABLE,
            "the %s is written in Python and belongs to a revision: profile it in a work tree of it", which);
    if (!path) return 0;
    if (!file_exists(path) || sha256_file_hex(path, hash, NULL) < 0 ||
        !str_equal(hash, side->build.module_hash))
        return err_set(err, ERR_UNAVAILABLE, "the %s's module '%s' is not there any more, or another one",
                       which, str_shown(path).text);
    return 0;
}

static int side_open(const struct explain_request *request, size_t which, struct arena *arena,
                     struct explained_side *ret, struct err *err) {
    const struct result *result = request->results[which];
    const struct result_side *side = &result->sides[request->sides[which]];
    struct session_options options = *request->options;
    TRY(check_is_here(result, side, side_words[which], err));
    options.kernel = side->module_path ? side->kernel_name : side->kernel;
    options.module = side->module_path;
    options.config = side->module_path ? NULL : side->config;
    options.device = result->environment.device;
    options.is_device_default = false;
    options.resume = options.lock_clocks = NULL;
    options.seed = request->results[1]->seed;
    TRY(session_open(&ret->session, &options, err));
    ret->session.sides[0].spec = result_side_copy(&ret->session.arena, side);
    ret->session.side_count = 1;
    ret->folder = arena_format(arena, "%s/%s", request->folder, side_words[which]);
    return 0;
}

// What a profiler counts of the side on the problem; the only place that asks one.
static int collect_side(struct explained_side *side, const struct suite_item *item, struct err *err) {
    const struct profile_request request = {.kernel = side->session.options.kernel,
                                            .skip_count = PROFILE_LAUNCH_SKIP,
                                            .folder = side->folder,
                                            .is_private = true,
                                            .set = PROFILE_SET_STANDARD,
                                            .cache_mode = CACHE_ROTATE,
                                            .profiler = PROFILER_AUTO};
    struct profile_collected collected;
    TRY(profile_collect(&side->session, &request, item, &collected, err));
    side->launch = profiled_make(&collected.report.launches[collected.chosen],
                                 collected.profiler == PROFILER_PERF, &side->session.arena);
    side->launch.problem = profile_problem_key(item, &side->session.arena);
    side->launch.profiler = profiler_name(collected.profiler);
    side->launch.note = collected.note;
    return 0;
}

// A store that fails has its warning when the run itself is kept.
static void keep_side(const struct explain_request *request, size_t which, struct explained_side *side) {
    const struct result *result = request->results[which];
    const struct result_case *item = result_find_case(result, side->launch.problem);
    const struct profile *profile = side->launch.is_cpu ? NULL : &side->launch.profile;
    struct roofline roofline = {.device = NULL};
    const struct profile_source source = {
        .launch = &side->launch, .roofline = &roofline, .result = result, .side = request->sides[which]};
    const char *warning = NULL;
    if (item &&
        roofline_of_case(result, item, request->sides[which], profile, &side->session.arena, &roofline) == 0)
        profile_history_keep(&side->session, &source, &warning);
}

static struct moved_side moved_of(const struct explained_side *side, bool is_counted,
                                  const struct build_report *build) {
    const bool is_cpu = side->launch.is_cpu;
    return (struct moved_side){.profile = is_counted && !is_cpu ? &side->launch.profile : NULL,
                               .cpu_profile = is_counted && is_cpu ? &side->launch.cpu_profile : NULL,
                               .build = build};
}

// ---- all problems ----

struct explaining {
    const struct explain_request *request;
    struct arena *arena;
    struct explained_side sides[2];
    struct progress progress;
    double profiled;         // sides so far
    const char *unavailable; // why nothing is counted, on any problem; NULL: it is
};

static const struct build_report *build_of(const struct explain_request *request, size_t which) {
    return &request->results[which]->sides[request->sides[which]].build;
}

static int collect_both(struct explaining *all, const struct decision_case *wanted, struct err *err) {
    const char *name = str_or(wanted->short_name, wanted->name);
    const struct result_case *measured = result_find_case(all->request->results[1], wanted->name);
    if (!measured) return err_set(err, ERR_DATA, "%s is not among the candidate's problems", wanted->name);
    const struct suite_item item = {.problem = measured->problem, .distribution = measured->distribution};
    for (size_t i = 0; i < 2; ++i) {
        progress_set(&all->progress, all->profiled++,
                     arena_format(all->arena, "%s, profile of the %s", name, side_words[i]));
        TRY(collect_side(&all->sides[i], &item, err));
        if (all->request->is_kept) keep_side(all->request, i, &all->sides[i]);
    }
    return 0;
}

static void explain_case(struct explaining *all, const struct decision_case *item,
                         struct explanation_case *ret) {
    const struct explain_request *request = all->request;
    const bool is_time = !request->results[1]->environment.metric;
    struct err err = {0};
    *ret = (struct explanation_case){.problem = arena_strdup(all->arena, item->name),
                                     .short_name = arena_strdup(all->arena, item->short_name),
                                     .change_pct = is_time ? item->change_pct : NAN};
    // What keeps a profiler from counting once keeps it from counting on all problems.
    if (!all->unavailable && collect_both(all, item, &err) < 0)
        all->unavailable = arena_format(all->arena, "no counters: %s", err.text);
    const bool is_counted = !all->unavailable;
    ret->note = all->unavailable;
    if (is_counted) ret->profiler = all->sides[1].launch.profiler;
    const struct moved_side baseline = moved_of(&all->sides[0], is_counted, build_of(request, 0));
    const struct moved_side candidate = moved_of(&all->sides[1], is_counted, build_of(request, 1));
    what_moved(&baseline, &candidate, all->arena, ret);
}

// A profiler needs the kernel in a process without a sandbox, where hostile code could write the memory of
// others. So a gate that isolates kernels runs none there unless somebody asks.
static bool is_kept_apart(const struct explain_request *request) {
    return !request->is_asked_for && request->results[1]->sampling.isolation == ISOLATION_PROCESS;
}

static void open_sides(struct explaining *all) {
    struct err err = {0};
    if (is_kept_apart(all->request))
        all->unavailable =
            "no counters: a profiler needs the kernels outside of their sandbox; for code that you "
            "trust, --explain or --isolation none";
    for (size_t i = 0; i < 2 && !all->unavailable; ++i)
        if (side_open(all->request, i, all->arena, &all->sides[i], &err) < 0)
            all->unavailable = arena_format(all->arena, "no counters: %s", err.text);
}

static const char *nothing_to_explain(const struct explain_request *request, size_t case_count) {
    const struct moved_side baseline = {.build = build_of(request, 0)};
    const struct moved_side candidate = {.build = build_of(request, 1)};
    if (moved_is_same_code(&baseline, &candidate))
        return "both sides are the same machine code: what differs is the machine (clock, memory, other "
               "programs), not the kernel";
    return case_count ? NULL : "no problem has times of both sides";
}

const struct explanation *explain(const struct explain_request *request, struct arena *arena) {
    const struct decision_case **chosen = NULL;
    const bool is_simulated = str_starts(str_or(request->results[1]->environment.device, ""), "sim:");
    const size_t count = choose_cases(request, arena, &chosen);
    if (!request->is_asked_for && (!count || is_simulated)) return NULL;
    struct explanation *ret = arena_alloc(arena, sizeof *ret);
    ret->note = nothing_to_explain(request, count);
    if (ret->note) return ret;
    struct explaining all = {.request = request, .arena = arena};
    open_sides(&all);
    ret->cases = arena_array(arena, count, sizeof *ret->cases);
    progress_init(&all.progress, 2 * (double)count, request->wants_progress);
    for (size_t i = 0; i < count; ++i) explain_case(&all, chosen[i], &ret->cases[ret->case_count++]);
    progress_fini(&all.progress);
    for (size_t i = 0; i < 2; ++i) session_close(&all.sides[i].session);
    return ret;
}
