// SPDX-License-Identifier: Apache-2.0
//
// `assay calibrate`: what can this machine tell? Codes: 0 the threshold can be certified, 1 the kernel failed
// its check, crashed or hung, 3 the machine is too noisy for it, or may be, or a problem never got valid
// rounds.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "control/cmd/commands.h"
#include "control/cmd/print_result.h"
#include "control/flow/calibrate_run.h"

static bool is_talking(const struct cmd_options *options) {
    return !options->is_json && !options->is_quiet;
}

struct talk {
    const struct cmd_options *options;
    uint32_t run_count;
};

static void print_run(void *arg, const struct plan *plan, uint32_t number) {
    const struct talk *talk = arg;
    if (!is_talking(talk->options)) return;
    struct strbuf out = {0};
    if (talk->run_count > 1)
        strbuf_addf(&out, "run %u of %u: ", (unsigned)number + 1, (unsigned)talk->run_count);
    strbuf_addf(&out, "%s against itself on %s, %zu problem%s, %u rounds of fresh processes, seed %llu\n",
                plan->sides[0].kernel, plan->device, plan->case_count, plan->case_count == 1 ? "" : "s",
                (unsigned)plan->looks[0], (unsigned long long)plan->seed);
    cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
}

static int print_plan(struct calibrate *calibrate, const struct cmd_options *options, struct err *err) {
    struct plan plan = {0};
    int code = calibrate_plan(calibrate, 0, &plan, err);
    if (code == 0) code = cmd_print_plan(&plan, options);
    plan_fini(&plan);
    return code;
}

static int print_failure(const struct calibrate *calibrate, const struct cmd_options *options) {
    struct err why = {0};
    err_set(&why, ERR_DATA, "the kernel is wrong, so nothing was calibrated: %s (results: %s/result.json)",
            calibrate->failure, calibrate->results_path);
    return cmd_fail_with(options, &why, 1);
}

static int print_end(struct calibrate *calibrate, const struct cmd_options *options, struct err *err) {
    struct calibration_report report = calibrate_report(calibrate);
    struct strbuf json = {0}, text = {0};
    if (options->is_json || options->output) calibration_report_json(&report, &json);
    int code = 0;
    if (options->output) code = file_write_atomic(options->output, strbuf_text(&json), json.length, err);
    if (code == 0 && !options->is_json) {
        if (is_talking(options)) strbuf_add_char(&text, '\n');
        calibration_report_text(&report, cmd_wants_color(options), &text);
    }
    if (code == 0) code = cmd_print(strbuf_text(options->is_json ? &json : &text));
    strbuf_fini(&json);
    strbuf_fini(&text);
    return code ? code : calibrate->summary.exit_code;
}

static int run_all(const struct cmd_options *options, const struct calibrate_request *request,
                   struct calibrate *calibrate, struct err *err) {
    struct talk talk = {options, request->run_count};
    struct run_callbacks callbacks = {.arg = &talk,
                                      .on_output = cmd_output_printer(options),
                                      .wants_progress = cmd_wants_progress(options)};
    TRY(calibrate_open(calibrate, request, err));
    cmd_print_builds(&calibrate->session);
    if (options->is_dry_run) return print_plan(calibrate, options, err);
    TRY(calibrate_measure(calibrate, &callbacks, print_run, err));
    if (calibrate->failure) return print_failure(calibrate, options);
    TRY(calibrate_conclude(calibrate, err));
    return print_end(calibrate, options, err);
}

static int run_calibrate(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct calibrate_request request = {.spec = gate_spec_none(), .round_count = ROUNDS_MAX, .run_count = 1};
    struct option_table table = {.command = command->name};
    option_add(&table, (struct option){"rounds", "N", "rounds of a run (default 20)", OPTION_U32,
                                       &request.round_count});
    option_add(&table, (struct option){"runs", "N", "runs of the program, each with another seed (default 1)",
                                       OPTION_U32, &request.run_count});
    option_add(&table, (struct option){"regression", "PCT",
                                       "the threshold to be certified (default: the manifest's, 3)",
                                       OPTION_PERCENT, &request.spec.regression_pct});
    cmd_options_add(&table, &options,
                    CMD_OPTIONS_SESSION | CMD_OPTIONS_KERNEL | CMD_OPTIONS_SUITE | CMD_OPTIONS_RUN |
                        CMD_OPTIONS_OUTPUT | CMD_OPTIONS_SAMPLING);
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct calibrate state = {0};
    int code = cmd_parse(command, &table, &options, &line, &err);
    if (code == 1) return 0;
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    request.session = options.session;
    if (code == 0) code = run_all(&options, &request, &state, &err);
    int exit_code = code < 0 ? cmd_fail(&options, &err) : code;
    calibrate_close(&state);
    return exit_code;
}

const struct command command_calibrate = {
    .is_output_document = true,
    .name = "calibrate",
    .summary = "what can this machine tell? a kernel against itself, in rounds",
    .usage = "assay calibrate [--kernel K] [--rounds N] [--runs N] [--regression PCT] [OPTIONS]",
    .details = "Measures one kernel against itself in rounds of fresh processes, as a gate would: every "
               "difference is the\n"
               "machine's. Says how rounds spread, the finest threshold that 20 rounds certify, the smallest "
               "slowdown that a\n"
               "gate would catch, how many rounds a threshold takes, how often unchanged code was accused, "
               "and how true changes\n"
               "would be seen. The study is kept with the earlier ones of this device; a gate refuses a "
               "threshold that they\n"
               "show to be too fine.\n"
               "Codes: 0 the threshold can be certified; 1 the kernel failed its check, crashed or hung; 3 "
               "too noisy for the\n"
               "threshold, or known too badly to say (--runs), or a problem never got valid rounds.\n\n"
               "example\n  assay calibrate --kernel simd --suite pr --runs 3",
    .run = run_calibrate,
};
