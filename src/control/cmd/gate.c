// SPDX-License-Identifier: Apache-2.0
//
// `assay gate`: the whole check of a pull request. Codes: 0 nothing got worse; 1 a regression, a wrong
// result, or a candidate that does not build; 3 undecidable, invalid, a problem removed, or a baseline that
// does not build.
#include <stdio.h>
#include <string.h>

#include "control/cmd/gate_all.h"
#include "control/cmd/print_result.h"

// What a verdict says blocks nobody with --advisory; what could not be run or written still does.
static int exit_code_for(int code, bool is_advisory) {
    if (!is_advisory || code < 1 || code > 3) return code;
    char text[96];
    snprintf(text, sizeof text, "advisory: without --advisory this gate ends with %d", code);
    cmd_warn(text);
    return 0;
}

static int run_gate(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct gate_request request = {.spec = gate_spec_none()};
    bool is_github = false, is_gitlab = false, is_all = false, is_advisory = false;
    const struct option own[] = {
        {"candidate", "KERNEL", "the kernel under test (default: the manifest's)", OPTION_TEXT,
         &request.candidate},
        {"baseline", "KERNEL", "or git:REV, git:merge-base, or a result file", OPTION_TEXT,
         &request.baseline},
        OPTION_UNDER(OPTION_DECISION),
        {"policy", "baseline|candidate",
         "with git:REV: its manifest decides (baseline, default), or the candidate's", OPTION_TEXT,
         &request.policy},
        {"expect", "WHAT", "improvement[:s512,...]: a claim that is not proved fails", OPTION_TEXT,
         &request.expect},
        {"accept", "REASON", "regressions fail nothing; the reason is in the report", OPTION_TEXT,
         &request.accepted},
        OPTION_UNDER(OPTION_WHAT),
        {"all", NULL, "every kernel of the manifest against its namesake at git:REV, one report", OPTION_FLAG,
         &is_all},
        {"check", "SUITE", "correctness matrix (default: the manifest's, else boundary)", OPTION_TEXT,
         &request.check_suite},
        {"no-check", NULL, "leave out the matrix; measured problems are still checked", OPTION_FLAG,
         &request.is_check_skipped},
        {"distribution", "LIST", "inputs that are measured: normal (default), mixed, sink, ...; all",
         OPTION_TEXT, &options.session.distributions},
        OPTION_FORMERLY("family"),
        OPTION_UNDER(OPTION_HOW),
        {"rounds", "N", "a fixed number of rounds in place of interim analyses at 5, 10, 15, 20",
         OPTION_COUNT, &request.fixed_round_count},
        {"first-look", "3", "look after 3 rounds too: for very quiet devices; 3 exclude less than 5 do",
         OPTION_COUNT, &request.first_look},
        OPTION_UNDER(OPTION_DECISION),
        {"regression", "PCT", "slower than this is a regression (default 3)", OPTION_PERCENT,
         &request.spec.regression_pct},
        {"improvement", "PCT", "faster than this is an improvement (default 10)", OPTION_PERCENT,
         &request.spec.improvement_pct},
        OPTION_UNDER(OPTION_HOW),
        {"metric", METRIC_VALUES, "call_time: single calls; the last three count (default: the manifest's)",
         OPTION_TEXT, &options.metric},
        {"measure-same", NULL, "measure even where the machine code is the same", OPTION_FLAG,
         &request.is_same_measured},
        OPTION_UNDER(OPTION_DECISION),
        {"allow-removed", NULL, "a problem that only the baseline has or supports is fine", OPTION_FLAG,
         &request.spec.allows_removed},
        {"ignore-calibration", NULL, "measure even if the calibration says that the threshold is too fine",
         OPTION_FLAG, &request.is_calibration_ignored},
        OPTION_UNDER(OPTION_OUTPUT),
        {"github", NULL, "publish: comment, annotations, outputs and summary of a GitHub job", OPTION_FLAG,
         &is_github},
        {"gitlab", NULL, "publish: note of a GitLab merge request", OPTION_FLAG, &is_gitlab},
        OPTION_UNDER(OPTION_DECISION),
        {"advisory", NULL, "the report as ever, and exit code 0 whatever it says: for those who begin",
         OPTION_FLAG, &is_advisory},
        OPTION_UNDER(OPTION_OUTPUT),
        {"explain", NULL, "what moved, on every problem (otherwise: beyond -3 % and +10 %)", OPTION_FLAG,
         &request.is_explained},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct gate state = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0 && request.accepted && !request.accepted[strspn(request.accepted, " \t\n\v\f\r")])
        code = err_set(&err, ERR_USAGE,
                       "--accept takes the reason, which the report shows; this one is empty: say why, such "
                       "as --accept '64-bit offsets'");
    options.session.candidate = request.candidate;
    options.session.others = request.baseline;
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    request.session = options.session;
    const char *code_host = is_github ? "github" : is_gitlab ? "gitlab" : NULL;
    const struct gate_one one = {.options = &options, .request = &request, .code_host = code_host};
    if (code == 0 && is_all) return exit_code_for(gate_all_run(&one), is_advisory);
    if (code == 0) code = gate_one_run(&one, &state, &err);
    const int exit_code = code < 0 ? gate_one_fail(&one, &state, &err) : code;
    return exit_code_for(cmd_close(gate_close(&state, &err), &err, exit_code), is_advisory);
}

const struct command command_gate = {
    .is_output_document = true,
    .isolates = true,
    .resumes_plan = true,
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
        "--candidate names the kernel under test, and --kernel does the same. --module puts a built library "
        "in "
        "its\n"
        "place; --kernel then names the kernel inside it.\n"
        "Codes: 0 nothing got worse; 1 a regression, a wrong result, a candidate that does not build;\n"
        "3 undecidable, invalid, a problem or the kernel removed, a baseline that does not build.\n"
        "\n"
        "example\n"
        "  assay gate --baseline git:merge-base\n"
        "  assay gate --all --baseline git:merge-base --github\n"
        "  assay gate --baseline git:merge-base --policy candidate\n"
        "  assay gate --candidate simd --baseline tiled --expect improvement\n"
        "  assay gate --candidate fa_sm80 --baseline torch:flash --device cuda:0 --suite ci",
    .run = run_gate,
    .option_groups = CMD_OPTIONS_MEASURING | CMD_OPTIONS_FAILURES,
    .is_on_first_screen = true,
};
