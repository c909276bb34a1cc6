// SPDX-License-Identifier: Apache-2.0
//
// `assay calibrate`: an A/A study of this machine. Codes: 0 changes of the threshold's size are detectable; 1
// the kernel failed its check, crashed or hung; 3 the machine is, or may be, too noisy for the threshold, or
// a problem has no valid rounds.
#include <math.h>

#include "control/cmd/print_result.h"
#include "control/flow/calibrate/calibrate_run.h"

struct run_printer {
    const struct cmd_options *options;
    uint32_t run_count;
};

static void print_run(void *arg, const struct plan *plan, uint32_t number) {
    const struct run_printer *printer = arg;
    if (!cmd_wants_progress(printer->options)) return;
    struct strbuf out = {0};
    if (printer->run_count > 1)
        strbuf_addf(&out, "run %u of %u: ", (unsigned)number + 1, (unsigned)printer->run_count);
    strbuf_add_linef(&out, "%s against itself on %s, %zu problem%s, %u rounds of fresh processes, seed %llu",
                     plan->sides[0].kernel, plan->device, plan->case_count, plan->case_count == 1 ? "" : "s",
                     (unsigned)plan->looks[0], (unsigned long long)plan->seed);
    cmd_print_free(&out);
}

static int print_end(struct calibrate *calibrate, const struct cmd_options *options) {
    struct calibration_report report = calibrate_report(calibrate);
    struct strbuf json = {0}, text = {0};
    if (options->is_json || options->output) calibration_report_json(&report, &json);
    if (!options->is_json && !options->is_quiet) {
        strbuf_add_char(&text, '\n');
        calibration_report_text(&report, cmd_wants_color(options), &text);
    }
    const struct calibration_summary *summary = &calibrate->summary;
    int code = options->is_quiet && !options->is_json
                   ? cmd_print_sentence(options, summary->sentence, summary->exit_code)
                   : cmd_print(strbuf_text(options->is_json ? &json : &text));
    code = cmd_write_beside(options->output, &json, code ? code : calibrate->summary.exit_code);
    strbuf_fini(&json);
    strbuf_fini(&text);
    return code;
}

static int run_all(const struct cmd_options *options, const struct calibrate_request *request,
                   struct calibrate *calibrate, struct err *err) {
    struct run_printer printer = {options, request->run_count};
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    callbacks.arg = &printer;
    TRY(calibrate_open(calibrate, request, err));
    cmd_print_builds(&calibrate->session);
    if (options->is_dry_run) {
        struct plan plan = {0};
        int code = calibrate_plan(calibrate, 0, &plan, err);
        if (code == 0) code = cmd_print_plan(&plan, options);
        plan_fini(&plan);
        return code;
    }
    TRY(calibrate_measure(calibrate, &callbacks, print_run, err));
    cmd_warn(calibrate->history_warning);
    if (calibrate->failure) {
        struct err why = {0};
        err_set(&why, ERR_DATA,
                "the kernel is wrong, so nothing was calibrated: %s (results: %s/result.json)",
                calibrate->failure, calibrate->results_path);
        return cmd_fail_with(options, &why, 1);
    }
    TRY(calibrate_conclude(calibrate, err));
    return print_end(calibrate, options);
}

static int run_calibrate(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct calibrate_request request = {.spec = gate_spec_none(), .round_count = ROUNDS_MAX, .run_count = 1};
    const struct option own[] = {
        OPTION_UNDER(OPTION_HOW),
        {"rounds", "N", "rounds per run (default 20)", OPTION_U32, &request.round_count},
        {"runs", "N", "runs of the program, each with another seed (default 1)", OPTION_U32,
         &request.run_count},
        OPTION_UNDER(OPTION_DECISION),
        {"regression", "PCT", "the threshold to be detectable (default: the manifest's, 3)", OPTION_PERCENT,
         &request.spec.regression_pct},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct calibrate state = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    request.session = options.session;
    if (code == 0) code = run_all(&options, &request, &state, &err);
    int exit_code = code < 0 ? cmd_fail(&options, &err) : code;
    calibrate_close(&state);
    return exit_code;
}

const struct command command_calibrate = {
    .is_output_document = true,
    .isolates = true,
    .name = "calibrate",
    .summary = "what can this machine detect? a kernel against itself, in rounds",
    .usage = "assay calibrate [--kernel K] [--rounds N] [--runs N] [--regression PCT] [OPTIONS]",
    .details =
        "Measures one kernel against itself in rounds of fresh processes, as a gate does: every difference\n"
        "is noise. Reports the spread between rounds, the finest threshold that 20 rounds can decide, the\n"
        "smallest slowdown that a gate detects, how many rounds a threshold needs, the rate of false alarms\n"
        "on unchanged code, and the verdicts at known changes. The study is stored with the earlier ones of\n"
        "this device; a gate rejects a threshold that they show to be too fine.\n"
        "Codes: 0 changes of the threshold's size are detectable; 1 the kernel failed its check, crashed or\n"
        "hung; 3 too noisy for the threshold, too few data to say (add --runs), or a problem without valid\n"
        "rounds.\n"
        "\n"
        "example\n"
        "  assay calibrate --kernel simd --suite pr --runs 3",
    .run = run_calibrate,
    .option_groups = CMD_OPTIONS_MEASURING,
};
