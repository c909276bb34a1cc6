// SPDX-License-Identifier: Apache-2.0
//
// `assay profile`: what Nsight Compute counts in a launch, where the bottleneck is, and what to try. Codes:
// 0; 69 without a profiler that counts; 64 to 66 for what is wrong with the command or the file.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"
#include "control/cmd/print_result.h"
#include "control/flow/profile/profile_bench.h"
#include "control/flow/profile/profile_environment.h"
#include "control/flow/profile/profile_files.h"
#include "control/flow/profile/profile_history.h"
#include "control/flow/profile/profile_run.h"
#include "control/flow/profile/roofline_result.h"
#include "report/profile/profile_report.h"
#include "verdict/summary.h"

#define FOLDER "artifacts/ncu"
enum { FILE_COLUMNS = 100 };

// What was profiled, in order: launches of a report, or problems of a suite.
struct entries {
    size_t count, room;
    struct profiled *items;
    struct roofline roofline; // points of problems only
    size_t point_room;
    struct roofline_point *points;
};

static struct entries entries_make(size_t room, struct arena *arena) {
    return (struct entries){.room = room,
                            .items = arena_array(arena, room, sizeof(struct profiled)),
                            .point_room = 2 * room,
                            .points = arena_array(arena, 2 * room, sizeof(struct roofline_point))};
}

static struct profiled *entry_add(struct entries *entries, struct arena *arena,
                                  const struct launch_counters *launch, bool is_cpu) {
    if (entries->count == entries->room) BUG("more than %zu profiles", entries->room);
    struct profiled *entry = &entries->items[entries->count++];
    *entry = profiled_make(launch, is_cpu, arena);
    return entry;
}

static int print_entries(const struct entries *entries, const struct cmd_options *options) {
    const struct profile_report report = {entries->count, entries->items, &entries->roofline};
    const struct roofline_text_options text = {cmd_wants_color(options), term_has_utf8(),
                                               term_width(STDOUT_FILENO)};
    struct strbuf out = {0};
    if (options->is_json)
        profile_report_json(&report, &out);
    else
        profile_report_text(&report, &text, &out);
    return cmd_print_free(&out);
}

static int import_all(const char *path, struct arena *arena, struct entries *entries, struct err *err) {
    struct nsight_report report;
    TRY(nsight_csv_read(path, arena, &report, err));
    *entries = entries_make(report.launch_count, arena);
    for (size_t i = 0; i < report.launch_count; ++i) entry_add(entries, arena, &report.launches[i], false);
    return 0;
}

// Two points, of the operator's bytes and of the counted ones. The time is that of a run without the
// profiler; without one, intensities are all that is known.
static void add_points(struct entries *entries, const struct suite_item *item, const struct result *timed,
                       struct arena *arena) {
    const struct problem *problem = &item->problem;
    struct summary summary = {0};
    if (timed && timed->case_count == 1 && summary_get(timed, &timed->cases[0], 0, &summary) == 0 &&
        !entries->roofline.roofs)
        roofline_add_roofs(&entries->roofline, timed, arena);
    const double time_ns = summary.figures.is_set ? summary.figures.median_ns : NAN;
    struct profiled *entry = &entries->items[entries->count - 1];
    entry->time_ns = time_ns;
    const struct roofline_point points[] = {
        roofline_point_modelled(problem_flops(problem), problem_bytes(problem), time_ns),
        roofline_point_counted(&entry->profile, problem_flops(problem), time_ns)};
    const size_t count = entry->is_cpu ? 1 : 2;
    for (size_t i = 0; i < count && entries->roofline.point_count < entries->point_room; ++i) {
        struct roofline_point *point = &entries->points[entries->roofline.point_count++];
        *point = points[i];
        // A GPU's inputs are rotated.
        point->has_byte_ceiling = timed ? summary_has_byte_ceiling(&timed->environment) : !entry->is_cpu;
        point->problem = str_or(item->short_name, problem->name);
        point->dtype = problem_dtype_name(problem);
    }
    entries->roofline.points = entries->points;
}

// The newest entry's own points: one of a processor, two of a GPU.
static struct roofline newest_roofline(const struct entries *entries) {
    struct roofline roofline = entries->roofline;
    roofline.point_count = entries->items[entries->count - 1].is_cpu ? 1 : 2;
    roofline.points += entries->roofline.point_count - roofline.point_count;
    return roofline;
}

// The newest entry as <stem>.txt and .json, beside the profiler's own files.
static int keep_newest(const struct entries *entries, const char *stem, struct arena *arena,
                       struct err *err) {
    const struct roofline roofline = newest_roofline(entries);
    const struct profile_report one = {1, &entries->items[entries->count - 1], &roofline};
    struct strbuf text = {0}, json = {0};
    profile_report_text(&one, &(struct roofline_text_options){.width = FILE_COLUMNS}, &text);
    profile_report_json(&one, &json);
    int code = file_write_atomic(arena_format(arena, "%s.txt", stem), strbuf_text(&text), text.length, err);
    if (code == 0)
        code = file_write_atomic(arena_format(arena, "%s.json", stem), strbuf_text(&json), json.length, err);
    strbuf_fini(&text);
    strbuf_fini(&json);
    return code;
}

static void keep_in_history(struct session *session, const struct profile_request *request,
                            const struct entries *entries, const struct result *timed) {
    const struct roofline roofline = newest_roofline(entries);
    const struct profile_source source = {.launch = &entries->items[entries->count - 1],
                                          .roofline = &roofline,
                                          .result = timed,
                                          .kernel = request->kernel ? request->kernel
                                                                    : path_base(session->options.module)};
    const char *warning = NULL;
    profile_history_keep(session, &source, &warning);
    cmd_warn(warning);
}

// A run that fails costs the place in the roofline, never the profile.
static void time_problem(struct session *session, const struct profile_request *request,
                         const struct suite_item *item, struct entries *entries) {
    struct result timed = {0};
    struct err err = {0};
    const bool is_timed = request->timed_count && profile_time(session, request, item, &timed, &err) == 0;
    if (request->timed_count && !is_timed) {
        struct strbuf line = {0};
        strbuf_add_linef(&line, "note: %s", err.text);
        cmd_note_free(&line);
    }
    add_points(entries, item, is_timed ? &timed : NULL, &session->arena);
    keep_in_history(session, request, entries, is_timed ? &timed : NULL);
    if (is_timed) result_fini(&timed);
}

// Says where the problem comes from, since a variable called S may be there for something else.
static int take_environment(struct session *session, const char *kernel, struct err *err) {
    const char *name = NULL;
    struct strbuf line = {0};
    TRY(profile_problem_from_environment(session, kernel, &name, err));
    if (!name) return 0;
    strbuf_add_linef(&line, "note: %s, from sizes in the environment", name);
    cmd_note_free(&line);
    return 0;
}

static int collect_one(struct session *session, const struct profile_request *request,
                       const struct suite_item *item, struct entries *entries,
                       struct profile_collected *collected, struct err *err) {
    struct arena *arena = &session->arena;
    TRY(profile_collect(session, request, item, collected, err));
    struct profiled *entry = entry_add(entries, arena, &collected->report.launches[collected->chosen],
                                       collected->profiler == PROFILER_PERF);
    entry->problem = profile_problem_key(item, arena);
    entry->profiler = profiler_name(collected->profiler);
    entry->note = collected->note;
    entry->functions = &collected->functions;
    entry->function = collected->function;
    return 0;
}

static int collect_all(struct session *session, struct profile_request *request, struct progress *progress,
                       struct entries *entries, const struct cmd_options *options, struct err *err) {
    const struct run_callbacks callbacks = cmd_run_callbacks(options);
    struct suite suite;
    const bool is_module = session->options.module != NULL;
    request->kernel = is_module ? session->options.kernel : session_default_kernel(session);
    if (!request->kernel && !is_module) return err_set(err, ERR_USAGE, "which kernel? Name it with --kernel");
    TRY(take_environment(session, request->kernel, err));
    TRY(session_suite(session, session_default_suite(session), &suite, err));
    *entries = entries_make(suite.item_count, &session->arena);
    TRY(run_take_device(session, &callbacks, err));
    progress->total = (double)suite.item_count;
    for (size_t i = 0; i < suite.item_count; ++i) {
        const struct suite_item *item = &suite.items[i];
        struct profile_collected *collected = arena_alloc(&session->arena, sizeof *collected);
        progress_set(progress, (double)i, str_or(item->short_name, item->problem.name));
        TRY(collect_one(session, request, item, entries, collected, err));
        progress_hide(progress); // before notes
        time_problem(session, request, item, entries);
        TRY(keep_newest(entries, collected->stem, &session->arena, err));
    }
    return 0;
}

// As given.
struct choices {
    const char *set, *profiler, *cache, *replay;
};

static int read_choices(const struct choices *choices, struct profile_request *request, struct err *err) {
    request->set = profile_set_parse(choices->set);
    request->profiler = profiler_parse(choices->profiler);
    request->cache_mode = cache_mode_parse(choices->cache);
    if (!request->set)
        return err_set(err, ERR_USAGE, "--set takes quick, standard or full, not '%s'", choices->set);
    if (!request->profiler)
        return err_set(err, ERR_USAGE, "--profiler takes auto, ncu, cupti or perf, not '%s'",
                       choices->profiler);
    if (request->cache_mode != CACHE_ROTATE && request->cache_mode != CACHE_WARM)
        return err_set(err, ERR_USAGE, "--cache takes rotate or warm, not '%s'", choices->cache);
    request->restarts_program = str_equal(choices->replay, "application");
    if (!request->restarts_program && !str_equal(choices->replay, "kernel"))
        return err_set(err, ERR_USAGE, "--replay takes kernel or application, not '%s'", choices->replay);
    return 0;
}

static int run_profile(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv};
    struct session session = {0};
    struct entries entries = {0};
    struct progress progress;
    struct err err = {0};
    const char *path = NULL;
    struct choices choices = {.set = "full", .profiler = "auto", .cache = "rotate", .replay = "kernel"};
    struct profile_request request = {.skip_count = PROFILE_LAUNCH_SKIP, .folder = FOLDER, .timed_count = 20};
    const struct option own[] = {
        {"import", "FILE", "a page of Nsight Compute as CSV, raw or details, in place of a new profile",
         OPTION_TEXT, &path},
        OPTION_UNDER(OPTION_HOW),
        {"set", "SET", "quick (one pass), standard, or full (default)", OPTION_TEXT, &choices.set},
        {"profiler", "auto|ncu|cupti|perf", "who counts (default auto)", OPTION_TEXT, &choices.profiler},
        {"cache", "rotate|warm",
         "cupti: rotate the inputs as in timing (default), or warm, as ncu's passes are", OPTION_TEXT,
         &choices.cache},
        {"replay", "kernel|application",
         "ncu: kernel (default) repeats one launch for each pass, application the program", OPTION_TEXT,
         &choices.replay},
        {"launches", "FILTER",
         "which device functions, as ncu's --kernel-name (default: all but assay's own)", OPTION_TEXT,
         &request.launches},
        {"launch-skip", "N", "ncu: matching launches before the one that is counted (default 5)", OPTION_U32,
         &request.skip_count},
        {"iters", "N", "samples of the run without the profiler (default 20; 0: none)", OPTION_U32,
         &request.timed_count},
        OPTION_UNDER(OPTION_OUTPUT),
        {"no-store", NULL, "do not keep profile and run in the history", OPTION_FLAG,
         &options.session.is_store_off},
        {0},
    };
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0) code = read_choices(&choices, &request, &err);
    if (code == 0 && path) code = import_all(path, &session.arena, &entries, &err);
    if (code == 0 && !path) code = session_open(&session, &options.session, &err);
    progress_init(&progress, 0, cmd_wants_progress(&options));
    if (code == 0 && !path) code = collect_all(&session, &request, &progress, &entries, &options, &err);
    progress_fini(&progress);
    const int exit_code = code < 0 ? cmd_fail(&options, &err) : print_entries(&entries, &options);
    session_close(&session);
    return exit_code;
}

const struct command command_profile = {
    .name = "profile",
    .summary = "what a profiler counts, and what to try",
    .usage = "assay profile [--kernel K] [--suite S] [--only LIST] [OPTIONS]\n"
             "       assay profile --import FILE.csv",
    .details =
        "Runs one launch of a GPU kernel under Nsight Compute, on every problem of the suite, and names the\n"
        "bottleneck with the numbers that decide and their thresholds, then hypotheses: what would help, "
        "the\n"
        "number that speaks for it, how to find out, and at most how much faster. The profiler's duration "
        "is\n"
        "no performance; assay bench measures that. Files are written to artifacts/ncu/, copies of page and\n"
        "log to runs/. --import reads a report made elsewhere.\n"
        "Codes: 0 printed, 69 no profiler, no permission, no launch counted; the text says what to do.\n"
        "\n"
        "example\n"
        "  assay profile --kernel fa_sm90 --only s512",
    .run = run_profile,
    .option_groups = CMD_OPTIONS_SESSION | CMD_OPTIONS_SUITE | CMD_OPTIONS_KERNEL | CMD_OPTIONS_LOCK,
};
