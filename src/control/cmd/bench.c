// SPDX-License-Identifier: Apache-2.0
//
// `assay bench`: how fast is it? Codes: 0 measured, 1 a kernel failed its check, crashed or hung, 3 the
// measurement is not valid.
#include "control/cmd/commands.h"
#include "control/cmd/print_result.h"
#include "control/flow/bench_run.h"

struct bench_arguments {
    const char *vs;
    uint32_t round_count;
};

static int bench(const struct cmd_options *options, const struct bench_arguments *arguments,
                 struct session *session, struct run *run, struct err *err) {
    struct plan plan = {0};
    struct run_callbacks callbacks = {.on_output = cmd_output_printer(options),
                                      .wants_progress = cmd_wants_progress(options)};
    TRY(session_open(session, &options->session, err));
    if (!options->session.resume) {
        TRY(bench_add_sides(session, arguments->vs, err));
        if (options->is_dry_run)
            return cmd_print_bench_plan(session, session_default_suite(session), arguments->round_count,
                                        options, err);
        TRY(session_build(session, NULL, err));
        cmd_print_builds(session);
        TRY(bench_plan(session, "bench", session_default_suite(session), arguments->round_count, &plan, err));
    }
    TRY(run_open(run, session, &plan, &callbacks, err));
    TRY(bench_measure(run, err));
    progress_fini(&run->progress);
    return cmd_print_bench(run, options, err);
}

static int run_bench(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct bench_arguments arguments = {.round_count = 1};
    struct option_table table = {.command = command->name};
    option_add(&table,
               (struct option){"vs", "LIST", "measured in the same run, interleaved: kernels, git:REV, peers",
                               OPTION_TEXT, &arguments.vs});
    option_add(&table, (struct option){"rounds", "N", "fresh processes, each with all samples (default 1)",
                                       OPTION_U32, &arguments.round_count});
    cmd_options_add(&table, &options,
                    CMD_OPTIONS_SESSION | CMD_OPTIONS_KERNEL | CMD_OPTIONS_SUITE | CMD_OPTIONS_RUN |
                        CMD_OPTIONS_OUTPUT | CMD_OPTIONS_SAMPLING);
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct session session = {0};
    struct run run = {0};
    int code = cmd_parse(command, &table, &options, &line, &err);
    if (code == 1) return 0;
    if (code == 0 && arguments.round_count < 1) code = err_set(&err, ERR_USAGE, "--rounds takes 1 or more");
    options.session.others = arguments.vs;
    options.session.unnamed = SESSION_UNNAMED_ALL;
    if (code == 0) code = bench(&options, &arguments, &session, &run, &err);
    int exit_code = code < 0 ? cmd_fail(&options, &err) : code;
    exit_code = cmd_close(run_close(&run, &err), &err, exit_code);
    session_close(&session);
    return exit_code;
}

const struct command command_bench = {
    .is_output_document = true,
    .name = "bench",
    .summary = "how fast is it? medians with intervals, kernels side by side",
    .usage = "assay bench [--kernel K[,K...]] [--vs K[,K...]] [OPTIONS]",
    .details =
        "Measures a suite: every kernel of the manifest for the device, or those of --kernel, and the peers "
        "of --vs,\n"
        "interleaved in the same process. Writes runs/<id>/result.json, runs/summary.json and\n"
        "runs/result_<problem>.json. A kernel that fails its check has no time.\n"
        "Peers: torch (PyTorch, its own choice), torch:flash, torch:cudnn, torch:efficient, torch:math, "
        "cudnn;\n"
        "any MODULE:FUNCTION of Python; what a device lacks is refused with the list of what it has.\n"
        "Codes: 0 measured, 1 a kernel failed its check, crashed or hung, 3 the measurement is not valid.\n\n"
        "example\n  assay bench --kernel simd --vs tiled --only s512,mission --until 0.5%\n"
        "  assay bench --kernel fa_sm80 --vs torch:flash,cudnn --suite ci",
    .run = run_bench,
    .is_on_first_screen = true,
};
