// SPDX-License-Identifier: Apache-2.0
//
// `assay gate`: the whole check of a pull request. Codes: 0 nothing got worse; 1 a regression, a wrong
// result, or a candidate that does not build; 3 undecidable, invalid, a problem removed, or a baseline that
// does not build.
#include <inttypes.h>
#include <math.h>

#include "control/cmd/print_result.h"
#include "control/flow/gate/gate_run.h"
#include "control/flow/publish_result.h"
#include "control/flow/worker_query.h"

static void print_start(const struct plan *plan, const struct cmd_options *options) {
    if (!cmd_wants_progress(options)) return;
    struct strbuf out = {0};
    const char *candidate = plan->sides[plan->side_count - 1].label;
    const char *baseline = str_or(plan->gate.stored_baseline, plan->sides[0].label);
    if (plan->gate.is_same_code)
        strbuf_add_linef(&out, "gate: %s against %s", candidate, baseline);
    else
        strbuf_add_linef(
            &out, "gate: %s against %s, %zu problem%s checked, %zu measured in rounds of fresh processes",
            candidate, baseline, plan->check_count, plan->check_count == 1 ? "" : "s", plan->case_count);
    const struct policy *policy = plan->gate.policy;
    if (policy && policy->change_count)
        strbuf_add_linef(&out, "policy: the candidate's manifest changes %s%s; %s",
                         policy->changes[0].setting, policy->change_count > 1 ? " and more" : "",
                         policy->source == POLICY_BASELINE ? "the baseline's decides, or the stricter value"
                                                           : "it decides, as --policy candidate asks for");
    if (plan->gate.confirms_run_id)
        strbuf_add_linef(&out,
                         "rerun %u: this code was decided against in run %s; fresh data are drawn "
                         "from seed %" PRIu64 ", whatever --seed says",
                         (unsigned)plan->gate.earlier_run_count + 1, plan->gate.confirms_run_id, plan->seed);
    cmd_print_free(&out);
}

static int write_report(struct gate *gate, const struct cmd_options *options, struct err *err) {
    struct run *run = &gate->run;
    struct strbuf markdown = {0};
    struct report_options report = report_options_default();
    report.limit_bytes = REPORT_COMMENT_BYTES;
    TRY(cmd_report("markdown", &run->result, &report, &markdown, err));
    int code = run_write_file(run, "report.md", strbuf_text(&markdown), err);
    strbuf_fini(&markdown);
    if (code == 0) code = cmd_write_page(run, err);
    if (code == 0 && options->output) code = result_write_file(&run->result, options->output, err);
    return code;
}

// --github, --gitlab. The verdict stands whatever becomes of it.
static void publish(struct gate *gate, const char *host) {
    struct run *run = &gate->run;
    const struct publish_request request = {.host = code_host_find(host), .run_dir = run->dir};
    struct published published = {0};
    struct err err = {0};
    if (!host) return;
    if (publish_result(&gate->session, &request, &run->result, &run->result.arena, &published, &err) < 0)
        published.warning = err.text;
    cmd_warn(published.warning);
    cmd_command_runner_free(&published.commands);
}

static int run_all(const struct cmd_options *options, const struct gate_request *request,
                   const char *code_host, struct gate *gate, struct err *err) {
    struct check_print print = {options, &gate->run.progress, false};
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    callbacks.on_check = cmd_print_check;
    callbacks.arg = &print;
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
    cmd_keep(&gate->session, &gate->run);
    publish(gate, code_host);
    struct strbuf out = {0};
    struct report_options report = report_options_default();
    report.has_color = cmd_wants_color(options);
    TRY(cmd_report(options->is_json ? "json" : "text", &gate->run.result, &report, &out, err));
    if (!options->is_json)
        strbuf_add_linef(&out, "report: %s/report.md, for a browser %s/report.html", gate->run.dir,
                         gate->run.dir);
    const int code = cmd_print_free(&out);
    return code ? code : gate->run.result.decision->exit_code;
}

static int run_gate(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct gate_request request = {.spec = gate_spec_none()};
    bool is_github = false, is_gitlab = false;
    const struct option own[] = {
        {"candidate", "K", "the kernel under test (default: the manifest's)", OPTION_TEXT,
         &request.candidate},
        {"baseline", "B", "a kernel, git:REV, git:merge-base, or a result file", OPTION_TEXT,
         &request.baseline},
        {"policy", "WHOSE", "with git:REV: its manifest decides (baseline, default), or the candidate's",
         OPTION_TEXT, &request.policy},
        {"expect", "WHAT", "improvement[:s512,...]: a claim that is not proved fails", OPTION_TEXT,
         &request.expect},
        {"accept", "REASON", "regressions fail nothing; the reason is in the report", OPTION_TEXT,
         &request.accepted},
        {"check", "SUITE", "correctness matrix (default: the manifest's, else fuzz)", OPTION_TEXT,
         &request.check_suite},
        {"no-check", NULL, "leave out the matrix; measured problems are still checked", OPTION_FLAG,
         &request.is_check_skipped},
        {"rounds", "N", "a fixed number of rounds in place of interim analyses at 5, 10, 15, 20", OPTION_U32,
         &request.fixed_round_count},
        {"regression", "PCT", "slower than this is a regression (default 3)", OPTION_PERCENT,
         &request.spec.regression_pct},
        {"improvement", "PCT", "faster than this is an improvement (default 10)", OPTION_PERCENT,
         &request.spec.improvement_pct},
        {"metric", "WHAT", "time (default), call_time: single calls, or instructions (the manifest's)",
         OPTION_TEXT, &options.metric},
        {"measure-same", NULL, "measure even where the machine code is the same", OPTION_FLAG,
         &request.is_same_measured},
        {"allow-removed", NULL, "a problem that only the baseline has is fine", OPTION_FLAG,
         &request.spec.allows_removed},
        {"ignore-calibration", NULL, "measure even if the calibration says that the threshold is too fine",
         OPTION_FLAG, &request.is_calibration_ignored},
        {"github", NULL, "publish: comment, annotations, outputs and summary of a GitHub job", OPTION_FLAG,
         &is_github},
        {"gitlab", NULL, "publish: note of a GitLab merge request", OPTION_FLAG, &is_gitlab},
        {"explain", NULL, "what moved, on every problem (otherwise: beyond -3 % and +10 %)", OPTION_FLAG,
         &request.is_explained},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct gate state = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    options.session.candidate = request.candidate;
    options.session.others = request.baseline;
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    request.session = options.session;
    const char *code_host = is_github ? "github" : is_gitlab ? "gitlab" : NULL;
    if (code == 0) code = run_all(&options, &request, code_host, &state, &err);
    int exit_code = code;
    // A side that does not build is a decision with its own exit code, not an error.
    if (code < 0)
        exit_code = state.stage == GATE_STAGE_CANDIDATE_BROKEN  ? cmd_fail_with(&options, &err, 1)
                    : state.stage == GATE_STAGE_BASELINE_BROKEN ? cmd_fail_with(&options, &err, 3)
                    : state.stage == GATE_STAGE_KERNEL_REMOVED  ? cmd_fail_with(&options, &err, 3)
                                                                : cmd_fail(&options, &err);
    return cmd_close(gate_close(&state, &err), &err, exit_code);
}

const struct command command_gate = {
    .is_output_document = true,
    .name = "gate",
    .summary = "did it get worse? candidate against baseline, in rounds, with a verdict",
    .usage = "assay gate [--candidate K] [--baseline K|git:REV|FILE] [OPTIONS]",
    .details =
        "Builds candidate and baseline, checks the candidate, measures both in rounds of fresh processes\n"
        "until every problem is decided, and writes runs/<id>/report.md and report.html. Equal machine code "
        "gets its\n"
        "verdict without measuring.\n"
        "Against git:REV the manifest of that revision decides (thresholds, suites, limits): a candidate\n"
        "that changes them is told so, and may only make them stricter. --policy candidate takes its own.\n"
        "A commit since git:REV may accept a regression: a trailer 'Accept-regression: PROBLEM REASON'.\n"
        "Codes: 0 nothing got worse; 1 a regression, a wrong result, a candidate that does not build;\n"
        "3 undecidable, invalid, a problem or the kernel removed, a baseline that does not build.\n"
        "\n"
        "example\n"
        "  assay gate --baseline git:merge-base\n"
        "  assay gate --baseline git:merge-base --policy candidate\n"
        "  assay gate --candidate simd --baseline tiled --expect improvement\n"
        "  assay gate --candidate fa_sm80 --baseline torch:flash --device cuda:0 --suite ci",
    .run = run_gate,
    .option_groups = CMD_OPTIONS_MEASURING,
    .is_on_first_screen = true,
};
