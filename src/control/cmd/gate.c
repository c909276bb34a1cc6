// SPDX-License-Identifier: Apache-2.0
//
// `assay gate`: all of it for a pull request. Codes: 0 nothing got worse; 1 a regression, a wrong result, or
// a candidate that does not build; 3 undecidable, invalid, a problem removed, or a baseline that does not
// build.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "control/cmd/check_print.h"
#include "control/cmd/commands.h"
#include "control/cmd/print_result.h"
#include "control/flow/gate/gate_run.h"
#include "control/flow/worker_query.h"

static bool is_talking(const struct cmd_options *options) {
    return !options->is_json && !options->is_quiet;
}

static void print_start(const struct plan *plan, const struct cmd_options *options) {
    if (!is_talking(options)) return;
    struct strbuf out = {0};
    strbuf_addf(&out, "gate: %s against %s", plan->sides[plan->side_count - 1].label,
                plan->gate.stored_baseline ? plan->gate.stored_baseline : plan->sides[0].label);
    if (plan->gate.is_same_code)
        strbuf_add(&out, "\n");
    else
        strbuf_addf(&out, ", %zu problem%s checked, %zu measured in rounds of fresh processes\n",
                    plan->check_count, plan->check_count == 1 ? "" : "s", plan->case_count);
    if (plan->gate.confirms_run_id)
        strbuf_addf(&out,
                    "confirmation run %u: this code was decided against in run %s; fresh data are drawn "
                    "from seed %" PRIu64 ", whatever --seed says\n",
                    (unsigned)plan->gate.earlier_run_count + 1, plan->gate.confirms_run_id, plan->seed);
    cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
}

static int write_report(struct gate *gate, const struct cmd_options *options, struct err *err) {
    struct run *run = &gate->run;
    struct strbuf markdown = {0};
    struct report_options report = report_options_default();
    report.limit_bytes = REPORT_COMMENT_BYTES;
    TRY(cmd_report("markdown", &run->result, &report, &markdown, err));
    int code = run_write_file(run, "report.md", strbuf_text(&markdown), err);
    strbuf_fini(&markdown);
    if (code == 0 && options->output) code = result_write_file(&run->result, options->output, err);
    return code;
}

static int print_end(struct gate *gate, const struct cmd_options *options, struct err *err) {
    struct strbuf out = {0};
    struct report_options report = report_options_default();
    report.has_color = cmd_wants_color(options);
    TRY(cmd_report(options->is_json ? "json" : "text", &gate->run.result, &report, &out, err));
    if (!options->is_json) strbuf_addf(&out, "report: %s/report.md\n", gate->run.dir);
    int code = cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
    return code ? code : gate->run.result.decision->exit_code;
}

static int run_all(const struct cmd_options *options, const struct gate_request *request, struct gate *gate,
                   struct err *err) {
    struct check_print print = {options, &gate->run.progress, false};
    struct run_callbacks callbacks = {.on_check = check_print_line,
                                      .arg = &print,
                                      .on_output = cmd_output_printer(options),
                                      .wants_progress = cmd_wants_progress(options)};
    struct plan plan = {0};
    TRY(gate_open(gate, request, err));
    cmd_print_builds(&gate->session);
    if (!request->session.resume) {
        TRY(gate_plan(gate, &plan, err));
        if (options->is_dry_run) {
            int code = cmd_print_plan(&plan, options);
            plan_fini(&plan);
            return code;
        }
    }
    TRY(gate_start(gate, &plan, &callbacks, err));
    if (!gate->run.plan.gate.is_same_code) TRY(query_device_is_there(&gate->run.plan, err));
    print_start(&gate->run.plan, options);
    TRY(gate_decide(gate, err));
    progress_fini(&gate->run.progress);
    TRY(write_report(gate, options, err));
    return print_end(gate, options, err);
}

// A side that does not build is a decision, not an error of use: the candidate's is 1, the baseline's 3.
static int fail_gate(const struct gate *gate, const struct cmd_options *options, const struct err *err) {
    if (gate->stage == GATE_STAGE_CANDIDATE_BROKEN) return cmd_fail_with(options, err, 1);
    if (gate->stage == GATE_STAGE_BASELINE_BROKEN) return cmd_fail_with(options, err, 3);
    return cmd_fail(options, err);
}

static void add_options(struct option_table *table, struct cmd_options *options,
                        struct gate_request *request) {
#define ADD(name, value, kind, target, help)                                                                 \
    option_add(table, (struct option){name, value, help, kind, target})
    ADD("candidate", "K", OPTION_TEXT, &request->candidate, "the kernel on trial (default: the manifest's)");
    ADD("baseline", "B", OPTION_TEXT, &request->baseline,
        "a kernel, git:REV, git:merge-base, or a result file");
    ADD("expect", "WHAT", OPTION_TEXT, &request->expect,
        "improvement[:s512,...]: a claim that is not proved fails");
    ADD("check", "SUITE", OPTION_TEXT, &request->check_suite,
        "correctness matrix (default: the manifest's, else fuzz)");
    ADD("no-check", NULL, OPTION_FLAG, &request->is_check_skipped,
        "leave out the matrix; measured problems are still checked");
    ADD("rounds", "N", OPTION_U32, &request->fixed_round_count,
        "a fixed number of rounds in place of looks at 5, 10, 15, 20");
    ADD("regression", "PCT", OPTION_PERCENT, &request->spec.regression_pct,
        "slower than this is a regression (default 3)");
    ADD("improvement", "PCT", OPTION_PERCENT, &request->spec.improvement_pct,
        "faster than this is an improvement (default 10)");
    ADD("measure-same", NULL, OPTION_FLAG, &request->is_same_measured,
        "measure even where the machine code is the same");
    ADD("allow-removed", NULL, OPTION_FLAG, &request->spec.allows_removed,
        "a problem that only the baseline has is fine");
    ADD("ignore-calibration", NULL, OPTION_FLAG, &request->is_calibration_ignored,
        "measure even where the calibration says that it cannot certify");
#undef ADD
    cmd_options_add(table, options,
                    CMD_OPTIONS_SESSION | CMD_OPTIONS_KERNEL | CMD_OPTIONS_SUITE | CMD_OPTIONS_RUN |
                        CMD_OPTIONS_OUTPUT | CMD_OPTIONS_SAMPLING);
}

static int run_gate(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct gate_request request = {.spec = gate_spec_none()};
    struct option_table table = {.command = command->name};
    add_options(&table, &options, &request);
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct gate state = {0};
    int code = cmd_parse(command, &table, &options, &line, &err);
    if (code == 1) return 0;
    options.session.candidate = request.candidate;
    options.session.others = request.baseline;
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    request.session = options.session;
    if (code == 0) code = run_all(&options, &request, &state, &err);
    int exit_code = code < 0 ? fail_gate(&state, &options, &err) : code;
    return cmd_close(gate_close(&state, &err), &err, exit_code);
}

const struct command command_gate = {
    .is_output_document = true,
    .name = "gate",
    .summary = "did it get worse? candidate against baseline, in rounds, with a verdict",
    .usage = "assay gate [--candidate K] [--baseline K|git:REV|FILE] [OPTIONS]",
    .details = "Builds candidate and baseline, checks the candidate, measures both in rounds of fresh "
               "processes until every\n"
               "problem is decided, and writes runs/<id>/report.md. Equal machine code is a verdict without "
               "measuring.\n"
               "Codes: 0 nothing got worse; 1 a regression, a wrong result, a candidate that does not build; "
               "3 undecidable,\n"
               "invalid, a problem removed, a baseline that does not build.\n\n"
               "example\n  assay gate --baseline git:merge-base\n  assay gate --candidate simd --baseline "
               "tiled --expect improvement\n"
               "  assay gate --candidate fa_sm80 --baseline torch:flash --device cuda:0 --suite ci",
    .run = run_gate,
    .is_on_first_screen = true,
};
