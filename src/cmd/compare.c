// SPDX-License-Identifier: Apache-2.0
//
// `assay compare`: two files and a decision. Codes: 0 maintained or improved, 1 regression, 2 no significant difference,
// 3 invalid or not comparable. Which form a file has shows in its content (format/). Two files of the older `integrated`
// form are two means: 0 or 1.
#include "cmd/commands.h"

#include "base/file.h"
#include "base/mem.h"
#include "cmd/print_result.h"
#include "flow/gate_run.h"
#include "format/format.h"
#include "verdict/classic.h"
#include "verdict/gate_rule.h"
#include "verdict/integrated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct compare_arguments {
    const char *baseline, *candidate; // paths
    const char *kernel, *bootstrap, *tie, *allow_different, *fail_on, *format;
    double threshold_pct; // integrated form
    bool has_no_guards, is_removed_allowed;
    struct classic_options classic;
};

static int set_rule(struct compare_arguments *arguments, struct err *err) {
    struct classic_options *classic = &arguments->classic;
    if (arguments->bootstrap) TRY(classic_bootstrap_parse(arguments->bootstrap, classic, err));
    if (arguments->allow_different)
        TRY(classic_allow_parse(arguments->allow_different, &classic->allowed, err));
    if (arguments->tie) classic->tie = classic_tie_parse(arguments->tie);
    if (classic->tie == CLASSIC_TIE_INVALID)
        return err_set(err, ERR_USAGE, "'%s' is no tie rule; --tie takes neutral or proven", arguments->tie);
    if (arguments->fail_on && !str_equal(arguments->fail_on, "regression"))
        return err_set(err, ERR_USAGE, "--fail-on takes regression, not '%s'", arguments->fail_on);
    TRY(gate_check_threshold("regression", classic->regression_pct, err));
    TRY(gate_check_threshold("improvement", classic->improvement_pct, err));
    classic->has_guards = !arguments->has_no_guards;
    return 0;
}

static int write_output(const char *path, const struct strbuf *text, struct err *err) {
    return path ? file_write_atomic(path, strbuf_text(text), text->length, err) : 0;
}

static int compare_integrated(const struct format_document *documents,
                              const struct compare_arguments *arguments, const struct cmd_options *options,
                              struct err *err) {
    struct arena arena = {0};
    struct integrated base, cand;
    struct strbuf json = {0}, text = {0};
    int code = integrated_parse(documents[0].root, arguments->baseline, &arena, &base, err);
    if (code == 0) code = integrated_parse(documents[1].root, arguments->candidate, &arena, &cand, err);
    if (code == 0) {
        struct integrated_comparison comparison = integrated_compare(&base, &cand, arguments->threshold_pct);
        integrated_comparison_write(&comparison, &json);
        integrated_comparison_print(&comparison, &text);
        code = write_output(options->output, &json, err);
        if (code == 0) code = cmd_print(strbuf_text(options->is_json ? &json : &text));
        if (code == 0) code = integrated_exit_code(&comparison);
    }
    strbuf_fini(&json);
    strbuf_fini(&text);
    arena_fini(&arena);
    return code;
}

// ret_report learns which sides were compared.
static int decide(const struct result *base, struct result *cand, const struct compare_arguments *arguments,
                  struct report_options *ret_report, struct err *err) {
    struct classic_side left = {.result = base}, right = {.result = cand};
    struct decision *decision = arena_alloc(&cand->arena, sizeof *decision);
    TRY(classic_side_find(base, arguments->kernel, &left.side, err));
    TRY(classic_side_find(cand, arguments->kernel, &right.side, err));
    TRY(verdict_classic(left, right, &arguments->classic, &cand->arena, decision, err));
    struct gate_options rule = {.kind = GATE_COMPARE,
                                .is_failing_on_regression_only = arguments->fail_on != NULL,
                                .allows_removed = arguments->is_removed_allowed};
    TRY(gate_rule_apply(&rule, &(struct gate_events){0}, &cand->arena, decision, err));
    cand->decision = decision;
    ret_report->base_side = &base->sides[left.side];
    ret_report->cand_side = &cand->sides[right.side];
    ret_report->base_label =
        arguments->baseline; // two runs of one kernel carry one name: the files tell them apart
    ret_report->cand_label = arguments->candidate;
    return 0;
}

static int compare_results(const struct format_document *documents, const struct compare_arguments *arguments,
                           const struct cmd_options *options, struct err *err) {
    struct result base = {0}, cand = {0};
    struct strbuf json = {0}, text = {0};
    int code = format_read(&documents[0], &base, err);
    if (code == 0) code = format_read(&documents[1], &cand, err);
    struct report_options report = report_options_default();
    if (code == 0) code = decide(&base, &cand, arguments, &report, err);
    if (code == 0) {
        report_decision_json(cand.decision, &json);
        report.has_color = cmd_wants_color(options);
        code = cmd_report("text", &cand, &report, &text, err);
    }
    if (code == 0) {
        code = write_output(options->output, &json, err);
        if (code == 0) code = cmd_print(strbuf_text(options->is_json ? &json : &text));
        if (code == 0) code = cand.decision->exit_code;
    }
    strbuf_fini(&json);
    strbuf_fini(&text);
    result_fini(&base);
    result_fini(&cand);
    return code;
}

static int compare(const struct compare_arguments *arguments, const struct cmd_options *options,
                   struct err *err) {
    struct format_document documents[2] = {0}; // baseline, candidate
    int code = format_open(arguments->baseline, arguments->format, &documents[0], err);
    if (code == 0) code = format_open(arguments->candidate, arguments->format, &documents[1], err);
    if (code == 0) code = format_match(&documents[0], &documents[1], err);
    if (code == 0)
        code = (documents[0].format->read ? compare_results : compare_integrated)(documents, arguments,
                                                                                  options, err);
    format_close(&documents[0]);
    format_close(&documents[1]);
    return code;
}

// `BASE CAND`, or --baseline F with --candidate G or with the candidate as the one argument.
static int take_files(struct compare_arguments *arguments, const char *const *files, size_t count,
                      struct err *err) {
    if (!arguments->baseline && count > 0) arguments->baseline = *files++, --count;
    if (!arguments->candidate && count > 0) arguments->candidate = *files++, --count;
    if (count)
        return err_set(err, ERR_USAGE, "'%s' is one file too many: a baseline and a candidate are compared",
                       *files);
    if (!arguments->baseline || !arguments->candidate)
        return err_set(err, ERR_USAGE, "compare needs two files: 'assay compare BASE.json CAND.json'");
    return 0;
}

// format_help: text of --format, with the names there are; outlives the table.
static void add_options(struct option_table *table, struct cmd_options *options,
                        struct compare_arguments *arguments, const char *format_help) {
#define ADD(name, value, kind, target, help)                                                                 \
    option_add(table, (struct option){name, value, help, kind, target})
    ADD("baseline", "F", OPTION_TEXT, &arguments->baseline, "the file to compare with");
    ADD("candidate", "G", OPTION_TEXT, &arguments->candidate, "the file on trial");
    ADD("format", "NAME", OPTION_TEXT, &arguments->format, format_help);
    ADD("kernel", "K", OPTION_TEXT, &arguments->kernel, "which kernel, where a file holds several");
    ADD("regression", "PCT", OPTION_PERCENT, &arguments->classic.regression_pct,
        "slower than this is a regression (default 3)");
    ADD("improvement", "PCT", OPTION_PERCENT, &arguments->classic.improvement_pct,
        "faster than this is an improvement (default 10)");
    ADD("tie", "RULE", OPTION_TEXT, &arguments->tie,
        "neutral, or proven: maintained where non-inferiority is shown");
    ADD("bootstrap", "KIND", OPTION_TEXT, &arguments->bootstrap,
        "exact (default), or mt19937:SEED drawn literally");
    ADD("allow-different", "LIST", OPTION_TEXT, &arguments->allow_different,
        "compare all the same: problem,device,driver,clock_policy,regime,cache_mode,threads");
    ADD("fail-on", "WHAT", OPTION_TEXT, &arguments->fail_on, "regression: no significant difference is 0");
    ADD("no-guards", NULL, OPTION_FLAG, &arguments->has_no_guards,
        "the rule's verdict, with what would have refused it");
    ADD("allow-removed", NULL, OPTION_FLAG, &arguments->is_removed_allowed,
        "a problem that only the baseline has is fine");
    ADD("threshold", "PCT", OPTION_PERCENT, &arguments->threshold_pct,
        "integrated files: regression below this (default -3.0)");
#undef ADD
    cmd_options_add(table, options, CMD_OPTIONS_OUTPUT);
}

static int run_compare(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct compare_arguments arguments = {.threshold_pct = -3.0, .classic = classic_options_default()};
    struct option_table table = {.command = command->name};
    char *formats = format_list();
    char *format_help = mem_format("what the files are, instead of what their content says: %s", formats);
    add_options(&table, &options, &arguments, format_help);
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 3};
    struct err err = {0};
    int code = cmd_parse(command, &table, &options, &line, &err);
    free(format_help);
    free(formats);
    if (code == 1) return 0;
    if (code == 0) code = set_rule(&arguments, &err);
    if (code == 0) code = take_files(&arguments, line.words, line.word_count, &err);
    if (code == 0) code = compare(&arguments, &options, &err);
    return code < 0 ? cmd_fail(&options, &err) : code;
}

const struct command command_compare = {
    .is_output_document = true,
    .name = "compare",
    .summary = "decide between two result files",
    .usage = "assay compare BASE CAND [OPTIONS]",
    .details = "Applies the classic rule to two result files: more than 3 % slower with intervals apart is a "
               "regression, more\n"
               "than 10 % faster an improvement. A file has one machine and one run behind it: what that "
               "cannot certify is said.\n"
               "Files are assay's results, or what NVBench (--jsonbin) and google-benchmark (JSON, with "
               "repetitions) wrote;\n"
               "their content says which. Two files of the older 'integrated' form are compared by their "
               "means.\n"
               "Codes: 0 maintained or improved, 1 regression, 2 no significant difference, 3 invalid or not "
               "comparable.\n\n"
               "example\n  assay compare .ci/baseline.json runs/summary.json --fail-on regression",
    .run = run_compare,
    .is_on_first_screen = true,
};
