// SPDX-License-Identifier: Apache-2.0
//
// `assay run SUITE`: measures a suite without a decision; `assay run integrated` also writes the older JSON
// form. Exit codes of bench.
#include <stdlib.h>

#include "base/file.h"
#include "control/cmd/print_result.h"
#include "control/flow/bench_run.h"
#include "control/flow/ceilings.h"
#include "control/flow/profile/roofline_result.h"
#include "verdict/integrated.h"

struct run_arguments {
    const char *suite;
    struct integrated_shape shape;
    uint32_t round_count;
    const char *profile; // a page of Nsight Compute
};

static bool has_shape(const struct run_arguments *arguments) {
    const struct integrated_shape *shape = &arguments->shape;
    return shape->batch || shape->heads || shape->seq || shape->dim;
}

// The first page's launch of a profiler, if there is one.
static int read_profile(const char *path, struct arena *arena, struct profile *ret, struct err *err) {
    struct nsight_report report;
    TRY(nsight_csv_read(path, arena, &report, err));
    *ret = profile_from_nsight(&report.launches[0]);
    return 0;
}

static int make_integrated(const struct run *run, const char *profile_path, struct arena *arena,
                           struct integrated *ret, struct err *err) {
    struct profile profile;
    struct roofline_place place;
    const struct integrated_choice choice = {.place = &place};
    if (profile_path) TRY(read_profile(profile_path, arena, &profile, err));
    if (roofline_place_case(&run->result, &run->result.cases[0], 0, profile_path ? &profile : NULL, arena,
                            &place) < 0)
        return err_set(err, ERR_INTERNAL, "no memory for the roofline");
    return integrated_from_result(&run->result, &choice, arena, ret, err);
}

// Prints the older lines and writes the older form. Returns exit_code, as cmd_write_beside, or an error.
static int put_integrated(const struct run *run, const struct run_arguments *arguments,
                          const struct cmd_options *options, int exit_code, struct err *err) {
    const char *path = options->output;
    struct arena arena = {0};
    struct integrated document;
    struct strbuf json = {0}, lines = {0};
    int code = make_integrated(run, arguments->profile, &arena, &document, err);
    if (code == 0) {
        integrated_write(&document, &json);
        strbuf_add_char(&lines, '\n');
        integrated_print(&document, &lines);
        if (!options->is_json && !options->is_quiet && !str_equal(path, "-"))
            code = cmd_print(strbuf_text(&lines));
        code = cmd_write_beside(path, &json, code ? code : exit_code);
    }
    strbuf_fini(&json);
    strbuf_fini(&lines);
    arena_fini(&arena);
    return code;
}

static int run_suite(const struct cmd_options *options, const struct run_arguments *arguments,
                     struct session *session, struct run *run, struct err *err) {
    struct plan plan = {0};
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    TRY(session_open(session, &options->session, err));
    if (!options->session.resume) {
        const char *module = session->options.module;
        const char *kernel = module ? NULL : session_default_kernel(session);
        if (!kernel && !module)
            return session_fail_unnamed(session, "which kernel?", "--kernel or --module", err);
        TRY(session_add_side(session, SIDE_CANDIDATE, kernel, kernel, err));
        if (options->is_dry_run)
            return cmd_print_bench_plan(session, arguments->suite, arguments->round_count, options, err);
        TRY(session_build(session, NULL, err));
        cmd_print_builds(session);
        TRY(bench_plan(session, "run", arguments->suite, arguments->round_count, &plan, err));
        plan.is_integrated_form = str_equal(arguments->suite, "integrated");
    }
    TRY(run_open(run, session, &plan, &callbacks, err));
    TRY(bench_measure(run, err));
    bool is_integrated = run->plan.is_integrated_form;
    // The integrated form has the share of the peak.
    if (is_integrated) TRY(ceilings_need(&run->plan, &run->result, err));
    progress_fini(&run->progress);
    if (!is_integrated) return cmd_print_bench(run, options, err);
    struct cmd_options printing = *options;
    struct err late = {0};
    printing.output = NULL; // the integrated form goes there, if anything was measured
    const int exit_code =
        str_equal(options->output, "-") ? cmd_write_copies(run, 0) : cmd_print_bench(run, &printing, err);
    if (exit_code < 0 || exit_code == 3) return exit_code;
    const int put = put_integrated(run, arguments, options, exit_code, &late);
    return put < 0 ? cmd_close(put, &late, exit_code) : put;
}

// An option that would silently do nothing is an error.
static int check_arguments(const struct run_arguments *arguments, const struct session_options *session,
                           struct err *err) {
    bool is_integrated = str_equal(arguments->suite, "integrated");
    if (session->resume) return 0;
    if (!arguments->suite) return err_set(err, ERR_USAGE, "which suite? 'assay list suites' shows them");
    if (session->suite)
        return err_set(err, ERR_USAGE, "the suite is named by 'assay run %s'; --suite does not go with it",
                       arguments->suite);
    if (arguments->profile && !is_integrated)
        return err_set(err, ERR_USAGE, "--profile is for 'assay run integrated'");
    if (has_shape(arguments) && !is_integrated)
        return err_set(err, ERR_USAGE, "--batch, --heads, --seq and --dim are for 'assay run integrated'");
    if (is_integrated && session->problem)
        return err_set(err, ERR_USAGE,
                       "'assay run integrated' takes its shape from --batch, --heads, --seq and --dim");
    return 0;
}

static int run_run(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct run_arguments arguments = {.round_count = 1};
    const struct option own[] = {
        {"batch", "B", "integrated: batch size (default 8)", OPTION_COUNT, &arguments.shape.batch},
        {"heads", "H", "integrated: heads (default 4)", OPTION_COUNT, &arguments.shape.heads},
        {"seq", "S", "integrated: sequence length (default 64)", OPTION_COUNT, &arguments.shape.seq},
        {"dim", "D", "integrated: head dimension (default 64)", OPTION_COUNT, &arguments.shape.dim},
        {"profile", "FILE", "integrated: bottleneck and recommendations from this page of Nsight Compute",
         OPTION_TEXT, &arguments.profile},
        OPTION_UNDER(OPTION_HOW),
        {"rounds", "N", "fresh processes (default 1)", OPTION_COUNT, &arguments.round_count},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct err err = {0};
    struct session session = {0};
    struct run run = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    arguments.suite = line.words[0];
    if (code == 0) code = check_arguments(&arguments, &options.session, &err);
    char *problem = NULL;
    if (str_equal(arguments.suite, "integrated") && has_shape(&arguments))
        problem = integrated_problem_name(str_or(options.session.dtype, "fp32"), &arguments.shape);
    if (problem) options.session.problem = problem;
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    if (code == 0) code = run_suite(&options, &arguments, &session, &run, &err);
    int exit_code = cmd_finish(&options, code, &run, &session, &err);
    free(problem);
    return exit_code;
}

const struct command command_run = {
    .name = "run",
    .summary = "measure a suite, no decision",
    .usage = "assay run SUITE [OPTIONS]",
    .details =
        "Measures one kernel over a suite. 'assay run integrated' takes the shape from --batch, --heads,\n"
        "--seq and --dim, prints the older lines and writes the older JSON form to --output; its bottleneck\n"
        "comes from the roofline, or with --profile from what Nsight Compute counted.\n"
        "Codes: 0 measured, 1 the kernel failed its check, crashed or hung, 3 the measurement is not valid.\n"
        "\n"
        "example\n"
        "  assay run integrated --kernel simd --batch 8 --heads 4 --seq 64 --dim 64 --output A.json",
    .run = run_run,
    .resumes_plan = true,
    .option_groups = CMD_OPTIONS_MEASURING,
};
