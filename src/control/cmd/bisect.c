// SPDX-License-Identifier: Apache-2.0
//
// `assay bisect`: which commit changed a problem's time? Codes: 0 found; 3 it is one of several, or
// undecided.
#include <math.h>

#include "control/cmd/print_result.h"
#include "control/flow/bisect/bisect_run.h"
#include "report/bisect/bisect_report.h"

struct bisect_printer {
    const struct cmd_options *options;
    struct bisect *bisect; // the estimate of the time left needs its scratch memory
};

// "gate 3, about 4 to come, 2 min left: 1a2b3c4d5e subject"
static void print_begin(void *arg, const struct bisect *bisect, size_t place) {
    const struct bisect_printer *printer = arg;
    const struct revision_commit *commit = bisect_commit(bisect, place);
    const size_t left = bisect_gates_left(printer->bisect);
    const double seconds = bisect_seconds_left(printer->bisect);
    if (!cmd_wants_progress(printer->options)) return;
    struct strbuf out = {0};
    strbuf_addf(&out, "gate %u, about %zu to come", (unsigned)bisect->record.gate_count + 1, left);
    if (isfinite(seconds)) {
        char text[48];
        progress_duration_format(seconds, text, sizeof text);
        strbuf_addf(&out, ", %s left", text);
    }
    strbuf_add_linef(&out, ": %.*s %s", BISECT_SHORT_ID, commit->id, commit->subject);
    cmd_print_free(&out);
}

static void print_step(void *arg, const struct bisect *bisect, const struct bisect_step *step) {
    const struct bisect_printer *printer = arg;
    (void)bisect;
    if (!cmd_wants_progress(printer->options)) return;
    struct strbuf line = {0}, out = {0};
    bisect_step_text(step, &line);
    strbuf_add_linef(&out, "  %s", strbuf_text(&line));
    strbuf_fini(&line);
    cmd_print_free(&out);
}

static int print_plan(struct bisect *bisect, const struct cmd_options *options) {
    const struct bisect_record *record = &bisect->record;
    struct strbuf out = {0};
    if (options->is_json)
        bisect_record_write(record, &out);
    else
        strbuf_add_linef(&out, "%u commits from %s to %s, %s on %s: about %zu gates, at most %u",
                         (unsigned)record->commit_count, record->good_name, record->bad_name, record->kernel,
                         record->device, bisect_gates_left(bisect), (unsigned)record->gate_max);
    return cmd_print_free(&out);
}

static int print_end(const struct bisect *bisect, const struct cmd_options *options) {
    const struct bisect_record *record = &bisect->record;
    struct strbuf json = {0}, text = {0};
    bisect_record_write(record, &json);
    if (options->is_quiet) {
        bisect_report_line(record, cmd_wants_color(options), &text);
    } else if (!options->is_json) {
        if (cmd_wants_progress(options)) strbuf_add_char(&text, '\n');
        bisect_report_text(record, cmd_wants_color(options), &text);
        strbuf_add_linef(&text, "record: %s/" BISECT_FILE, bisect->dir);
    }
    int code = cmd_print(strbuf_text(options->is_json ? &json : &text));
    code = cmd_write_beside(options->output, &json, code ? code : record->exit_code);
    strbuf_fini(&json);
    strbuf_fini(&text);
    return code;
}

static int run_all(const struct cmd_options *options, const struct bisect_request *request,
                   struct bisect *bisect, struct err *err) {
    struct bisect_printer printer = {options, bisect};
    const struct bisect_callbacks callbacks = {
        .on_begin = print_begin, .on_step = print_step, .gate = cmd_run_callbacks(options), .arg = &printer};
    TRY(bisect_open(bisect, request, err));
    if (options->is_dry_run) return print_plan(bisect, options);
    TRY(bisect_run(bisect, &callbacks, err));
    return print_end(bisect, options);
}

static int run_bisect(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct bisect_request request = {.spec = gate_spec_none(), .certainty_pct = BISECT_CERTAINTY_PCT};
    const struct option own[] = {
        {"kernel", "KERNEL", "the kernel (default: the manifest's gate.candidate)", OPTION_TEXT,
         &options.session.kernel},
        {"all-commits", NULL, "also commits of merged branches (default: first parents)", OPTION_FLAG,
         &request.has_all_commits},
        OPTION_UNDER(OPTION_DECISION),
        {"certainty", "PCT", "go on until one is that certain (default 95)", OPTION_PERCENT,
         &request.certainty_pct},
        {"max-gates", "N", "give up after that many (default: log2 of the commits and 13)", OPTION_COUNT,
         &request.gate_max},
        OPTION_UNDER(OPTION_HOW),
        {"rounds", "N", "a fixed number of rounds a gate in place of interim analyses", OPTION_COUNT,
         &request.fixed_round_count},
        OPTION_UNDER(OPTION_DECISION),
        {"regression", "PCT", "BAD has to be slower by this (default: the manifest's, 3)", OPTION_PERCENT,
         &request.spec.regression_pct},
        {"improvement", "PCT", "or faster by this (default: the manifest's, 10)", OPTION_PERCENT,
         &request.spec.improvement_pct},
        OPTION_UNDER(OPTION_HOW),
        {"metric", METRIC_VALUES, "what is compared (default time)", OPTION_TEXT, &options.metric},
        OPTION_UNDER(OPTION_DECISION),
        {"ignore-calibration", NULL, "measure even if the calibration says that the threshold is too fine",
         OPTION_FLAG, &request.is_calibration_ignored},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct err err = {0};
    struct bisect state = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    request.session = options.session;
    request.range = line.word_count ? line.words[0] : NULL;
    if (code == 0) code = run_all(&options, &request, &state, &err);
    const int exit_code = code < 0 ? cmd_fail(&options, &err) : code;
    bisect_state_fini(&state);
    return exit_code;
}

const struct command command_bisect = {
    .is_output_document = true,
    .isolates = true,
    .name = "bisect",
    .summary = "which commit made it slower? gates between two revisions, with how sure it is",
    .usage = "assay bisect GOOD..BAD [--problem P] [--kernel K] [--suite S] [OPTIONS]",
    .details =
        "Gates BAD against GOOD, then commits between them, each time the one whose answer is most open,\n"
        "until one is certain enough: about log2(commits) + 1 gates. Without --problem, the problem of the\n"
        "suite that changed most is looked at. A commit that does not build or gives wrong results is\n"
        "passed over, equal machine code is not measured again, unclear answers are asked again. Commits\n"
        "that cannot be told apart are reported as a range. After a kill, --resume goes on where it was.\n"
        "Codes: 0 found; 3 a range, BAD does not differ from GOOD, or undecided.\n"
        "\n"
        "example\n"
        "  assay bisect v1.2..HEAD --kernel fa --suite pr --only s512\n"
        "  assay bisect v1.2..HEAD --all-commits --certainty 99\n"
        "  assay bisect --resume last",
    .run = run_bisect,
    .option_groups = CMD_OPTIONS_SESSION | CMD_OPTIONS_SUITE | CMD_OPTIONS_RUN | CMD_OPTIONS_OUTPUT |
                     CMD_OPTIONS_SAMPLING | CMD_OPTIONS_LOCK,
};
