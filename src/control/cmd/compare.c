// SPDX-License-Identifier: Apache-2.0
//
// `assay compare`: decides between two result files. Codes: 0 maintained or improved, 1 regression, 2 no
// significant difference, 3 invalid, not comparable, or a problem that only the baseline has. The format of a
// file is detected from its content (format/). Two files of the older `integrated` form are compared
// by their means: 0 or 1.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "control/cmd/print_result.h"
#include "control/flow/profile/explain.h"
#include "control/flow/report/report_page.h"
#include "format/format.h"
#include "verdict/classic/result_comparison.h"
#include "verdict/integrated.h"
#include "verdict/summary.h"

#define EXPLAIN_FOLDER "artifacts/explain"

struct compare_arguments {
    const char *baseline, *candidate; // paths
    const char *kernel, *bootstrap, *tie, *allow_different, *fail_on, *format;
    const char *printed_format;     // "text", "markdown", ...: of the report
    struct session_options session; // for --explain
    double threshold_pct;           // integrated form
    bool has_no_guards, is_explained, wants_progress;
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
    classic->spec.fails_on_regression_only = arguments->fail_on != NULL;
    TRY(gate_spec_check(&classic->spec, err));
    classic->has_guards = !arguments->has_no_guards;
    return 0;
}

// The contents of both files. The values of an opened document take many times its size, so the first is read
// and released before the second is opened.
struct compared_files {
    struct format_document documents[2]; // baseline, candidate
    struct arena arena;
    struct integrated integrated[2]; // of the integrated form
    struct result results[2];        // of any other
};

static int files_read(const struct compare_arguments *arguments, struct compared_files *files,
                      struct err *err) {
    const char *const paths[2] = {arguments->baseline, arguments->candidate};
    for (size_t i = 0; i < 2; ++i) {
        struct format_document *document = &files->documents[i];
        TRY(format_open(paths[i], arguments->format, document, err));
        if (i) TRY(format_match(&files->documents[0], document, err));
        if (document->format == &format_integrated)
            TRY(integrated_parse(document->root, paths[i], &files->arena, &files->integrated[i], err));
        else
            TRY(format_read(document, &files->results[i], err));
        files->results[i].file = paths[i];
        format_release(document);
    }
    return 0;
}

// Prints and writes --output. Frees both texts. Returns exit_code unless writing fails.
static int print_comparison(struct strbuf *json, struct strbuf *text, int exit_code,
                            const struct cmd_options *options) {
    int code = cmd_print(strbuf_text(options->is_json ? json : text));
    code = cmd_write_beside(options->output, json, code ? code : exit_code);
    strbuf_fini(json);
    strbuf_fini(text);
    return code;
}

static int compare_integrated(const struct compared_files *files, const struct compare_arguments *arguments,
                              const struct cmd_options *options) {
    struct strbuf json = {0}, text = {0};
    struct integrated_comparison comparison =
        integrated_compare(&files->integrated[0], &files->integrated[1], arguments->threshold_pct);
    integrated_comparison_write(&comparison, &json);
    if (options->is_quiet)
        integrated_comparison_line(&comparison, &text);
    else
        integrated_comparison_print(&comparison, &files->integrated[0], &files->integrated[1], &text);
    return print_comparison(&json, &text, integrated_exit_code(&comparison), options);
}

static int decide(struct compared_files *files, const struct compare_arguments *arguments,
                  struct result_comparison *comparison, struct err *err) {
    *comparison = (struct result_comparison){
        .results = {&files->results[0], &files->results[1]},
        .names = {arguments->baseline, arguments->candidate},
        .hashes = {files->documents[0].text_hash, files->documents[1].text_hash},
        .format = files->documents[1].format->name,
    };
    TRY(result_comparison_decide(comparison, arguments->kernel, &arguments->classic, err));
    if (!arguments->is_explained) return 0;
    struct result *cand = &files->results[1];
    const struct explain_request request = {
        .options = &arguments->session,
        .results = {&files->results[0], cand},
        .sides = {comparison->sides[0], comparison->sides[1]},
        .decision = cand->decision,
        .is_asked_for = true,
        .folder = EXPLAIN_FOLDER,
        .wants_progress = arguments->wants_progress,
    };
    cand->explanation = explain(&request, &cand->arena);
    return 0;
}

// What became slower most comes first; what has no change at the end. Alike: by name.
static int compare_changes(const void *a, const void *b) {
    const struct decision_case *left = a, *right = b;
    const double x = left->change_pct, y = right->change_pct;
    if (isfinite(x) != isfinite(y)) return isfinite(x) ? -1 : 1;
    if (isfinite(x) && x != y) return x > y ? -1 : 1;
    return strcmp(decision_case_name(left), decision_case_name(right));
}

static int compare_results(struct compared_files *files, const struct compare_arguments *arguments,
                           const struct cmd_options *options, struct err *err) {
    struct strbuf json = {0}, text = {0};
    struct result_comparison comparison;
    int code = decide(files, arguments, &comparison, err);
    struct report_options report = code == 0 ? report_of_comparison(&comparison) : report_options_default();
    report.has_color = cmd_wants_color(options);
    if (code == 0 && (options->is_json || options->output))
        code = result_comparison_write(&comparison, &json, err);
    if (code == 0 && str_equal(arguments->printed_format, "markdown"))
        qsort(files->results[1].decision->cases, files->results[1].decision->case_count,
              sizeof *files->results[1].decision->cases, compare_changes);
    if (code == 0 && !options->is_json)
        code = cmd_report(arguments->printed_format, &files->results[1], &report, &text, err);
    if (code == 0) return print_comparison(&json, &text, files->results[1].decision->exit_code, options);
    strbuf_fini(&json);
    strbuf_fini(&text);
    return code;
}

static int compare(const struct compare_arguments *arguments, const struct cmd_options *options,
                   struct err *err) {
    struct compared_files files = {0};
    int code = files_read(arguments, &files, err);
    if (code == 0)
        code = files.documents[0].format == &format_integrated
                   ? compare_integrated(&files, arguments, options)
                   : compare_results(&files, arguments, options, err);
    for (size_t i = 0; i < 2; ++i) {
        format_close(&files.documents[i]);
        result_fini(&files.results[i]);
    }
    arena_fini(&files.arena);
    return code;
}

// `BASE CAND`, or --baseline F with --candidate G or with the candidate as the one argument.
static int read_paths(struct compare_arguments *arguments, const char *const *files, size_t count,
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

// --format names the format of the files, or of the report: no name is both.
static void take_report_format(struct compare_arguments *arguments, const struct cmd_options *options) {
    const bool is_report = arguments->format && !format_find(arguments->format) &&
                           (str_equal(arguments->format, "markdown") || str_equal(arguments->format, "text"));
    arguments->printed_format = is_report ? arguments->format : options->is_quiet ? "line" : "text";
    if (is_report) arguments->format = NULL;
}

static int run_compare(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct compare_arguments arguments = {.threshold_pct = -3.0, .classic = classic_options_default()};
    struct classic_options *classic = &arguments.classic;
    const struct option own[] = {
        {"baseline", "F", "the file to compare with", OPTION_TEXT, &arguments.baseline},
        {"candidate", "G", "the file under test", OPTION_TEXT, &arguments.candidate},
        {"format", "NAME", "of the files (default: by content), or markdown", OPTION_TEXT, &arguments.format},
        {"kernel", "K", "which kernel, where a file holds several", OPTION_TEXT, &arguments.kernel},
        {"regression", "PCT", "slower than this is a regression (default 3)", OPTION_PERCENT,
         &classic->spec.regression_pct},
        {"improvement", "PCT", "faster than this is an improvement (default 10)", OPTION_PERCENT,
         &classic->spec.improvement_pct},
        {"tie", "RULE", "neutral, or proven: maintained where non-inferiority is shown", OPTION_TEXT,
         &arguments.tie},
        {"bootstrap", "KIND", "exact (default), or mt19937:SEED drawn literally", OPTION_TEXT,
         &arguments.bootstrap},
        {"allow-different", "LIST", "settings that may differ: device,driver; a wrong name lists all",
         OPTION_TEXT, &arguments.allow_different},
        {"fail-on", "WHAT", "regression: no significant difference is 0", OPTION_TEXT, &arguments.fail_on},
        {"no-guards", NULL, "the rule's verdict, with the guards that would have rejected it", OPTION_FLAG,
         &arguments.has_no_guards},
        {"allow-removed", NULL, "a problem that only the baseline has is fine", OPTION_FLAG,
         &classic->spec.allows_removed},
        {"explain", NULL, "what moved on every problem: profiles both kernels, if they are here", OPTION_FLAG,
         &arguments.is_explained},
        {"threshold", "PCT", "integrated files: regression below this (default -3.0)", OPTION_PERCENT,
         &arguments.threshold_pct},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 3};
    struct err err = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0) code = set_rule(&arguments, &err);
    arguments.session = options.session;
    arguments.wants_progress = cmd_wants_progress(&options);
    if (code == 0) take_report_format(&arguments, &options);
    if (code == 0) code = read_paths(&arguments, line.words, line.word_count, &err);
    if (code == 0) code = compare(&arguments, &options, &err);
    return code < 0 ? cmd_fail(&options, &err) : code;
}

const struct command command_compare = {
    .is_output_document = true,
    .name = "compare",
    .summary = "decide between two result files",
    .usage = "assay compare BASE CAND [OPTIONS]",
    .details =
        "Applies the classic rule to two result files: more than 3 % slower with confidence intervals apart\n"
        "is a regression, more than 10 % faster an improvement. A file is one run on one machine; the "
        "output\n"
        "says what that cannot decide. Files are assay's results, or what NVBench (--jsonbin) and\n"
        "google-benchmark (JSON, with repetitions) wrote; their content says which.\n"
        "Two files of the older 'integrated' form are compared by their means.\n"
        "Codes: 0 maintained or improved, 1 regression, 2 no significant difference, 3 invalid, not\n"
        "comparable, or a problem was removed.\n"
        "\n"
        "example\n"
        "  assay compare .ci/baseline.json runs/summary.json --fail-on regression",
    .run = run_compare,
    .option_groups = CMD_OPTIONS_OUTPUT,
    .is_on_first_screen = true,
};
