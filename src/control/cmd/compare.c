// SPDX-License-Identifier: Apache-2.0
//
// `assay compare`: two files and a decision. Codes: 0 maintained or improved, 1 regression, 2 no significant
// difference, 3 invalid, not comparable, or a problem that only the baseline has. Which form a file has shows
// in its content (format/). Two files of the older `integrated` form are two means: 0 or 1.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "control/cmd/commands.h"
#include "control/cmd/print_result.h"
#include "control/flow/gate/gate_run.h"
#include "control/format/format.h"
#include "control/verdict/classic/classic.h"
#include "control/verdict/decision_make.h"
#include "control/verdict/gate_rule.h"
#include "control/verdict/integrated.h"
#include "control/verdict/summary.h"

struct compare_arguments {
    const char *baseline, *candidate; // paths
    const char *kernel, *bootstrap, *tie, *allow_different, *fail_on, *format;
    double threshold_pct; // integrated form
    bool has_no_guards;
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

static int write_output(const char *path, const struct strbuf *text, struct err *err) {
    return path ? file_write_atomic(path, strbuf_text(text), text->length, err) : 0;
}

// Both files. The values of an opened document take many times its size, so that each is read and let go of
// in turn.
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
        format_release(document);
    }
    return 0;
}

static void files_fini(struct compared_files *files) {
    for (size_t i = 0; i < 2; ++i) {
        format_close(&files->documents[i]);
        result_fini(&files->results[i]);
    }
    arena_fini(&files->arena);
}

static int print_comparison(const struct strbuf *json, const struct strbuf *text,
                            const struct cmd_options *options, struct err *err) {
    TRY(write_output(options->output, json, err));
    return cmd_print(strbuf_text(options->is_json ? json : text));
}

static int compare_integrated(const struct compared_files *files, const struct compare_arguments *arguments,
                              const struct cmd_options *options, struct err *err) {
    struct strbuf json = {0}, text = {0};
    struct integrated_comparison comparison =
        integrated_compare(&files->integrated[0], &files->integrated[1], arguments->threshold_pct);
    integrated_comparison_write(&comparison, &json);
    integrated_comparison_print(&comparison, &text);
    int code = print_comparison(&json, &text, options, err);
    strbuf_fini(&json);
    strbuf_fini(&text);
    return code ? code : integrated_exit_code(&comparison);
}

// ret_report learns which sides of which files were compared.
static int decide(struct compared_files *files, const struct compare_arguments *arguments,
                  struct report_options *ret_report, struct err *err) {
    const struct result *base = &files->results[0];
    struct result *cand = &files->results[1];
    struct classic_side left = {.result = base}, right = {.result = cand};
    struct decision *decision = arena_alloc(&cand->arena, sizeof *decision);
    TRY(classic_side_find(base, arguments->kernel, &left.side, err));
    TRY(classic_side_find(cand, arguments->kernel, &right.side, err));
    TRY(verdict_classic(left, right, &arguments->classic, &cand->arena, decision, err));
    const struct gate_options rule = {.kind = GATE_COMPARE, .spec = arguments->classic.spec};
    TRY(gate_rule_apply(&rule, &(struct gate_events){0}, &cand->arena, decision, err));
    if (left.side == right.side && str_equal(files->documents[0].text_hash, files->documents[1].text_hash))
        decision_note(decision, &cand->arena,
                      "both files hold the same bytes: this is one measurement held against itself");
    cand->decision = decision;
    ret_report->base_side = &base->sides[left.side];
    ret_report->cand_side = &cand->sides[right.side];
    ret_report->base_file = arguments->baseline;
    ret_report->cand_file = arguments->candidate;
    ret_report->base_label = "baseline"; // two runs of one kernel carry one name
    ret_report->cand_label = "candidate";
    return 0;
}

// The decision, and what the text says besides: which files, of which form, what to know of the candidate's
// numbers.
static int comparison_json(const struct compared_files *files, const struct compare_arguments *arguments,
                           struct strbuf *out, struct err *err) {
    const struct result *cand = &files->results[1];
    struct arena arena = {0};
    struct warning_list warnings;
    int code = warnings_get(cand, &arena, &warnings) < 0
                   ? err_set(err, ERR_INTERNAL, "no memory for the warnings of %s", arguments->candidate)
                   : 0;
    if (code == 0) {
        struct json_writer w = json_writer_make(out, 2);
        json_object_begin(&w, NULL);
        json_write_string(&w, "baseline", arguments->baseline);
        json_write_string(&w, "candidate", arguments->candidate);
        json_write_string(&w, "format", files->documents[1].format->name);
        decision_write_members(&w, cand->decision);
        json_array_begin(&w, "warnings");
        for (size_t i = 0; i < warnings.count; ++i) json_write_string(&w, NULL, warnings.texts[i]);
        json_array_end(&w);
        json_object_end(&w);
        strbuf_add_char(out, '\n');
    }
    arena_fini(&arena);
    return code;
}

static int compare_results(struct compared_files *files, const struct compare_arguments *arguments,
                           const struct cmd_options *options, struct err *err) {
    struct strbuf json = {0}, text = {0};
    struct report_options report = report_options_default();
    report.has_color = cmd_wants_color(options);
    int code = decide(files, arguments, &report, err);
    if (code == 0) code = comparison_json(files, arguments, &json, err);
    if (code == 0) code = cmd_report("text", &files->results[1], &report, &text, err);
    if (code == 0) code = print_comparison(&json, &text, options, err);
    if (code == 0) code = files->results[1].decision->exit_code;
    strbuf_fini(&json);
    strbuf_fini(&text);
    return code;
}

static int compare(const struct compare_arguments *arguments, const struct cmd_options *options,
                   struct err *err) {
    struct compared_files files = {0};
    int code = files_read(arguments, &files, err);
    bool has_means = code == 0 && files.documents[0].format == &format_integrated;
    if (code == 0)
        code = has_means ? compare_integrated(&files, arguments, options, err)
                         : compare_results(&files, arguments, options, err);
    files_fini(&files);
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
    ADD("regression", "PCT", OPTION_PERCENT, &arguments->classic.spec.regression_pct,
        "slower than this is a regression (default 3)");
    ADD("improvement", "PCT", OPTION_PERCENT, &arguments->classic.spec.improvement_pct,
        "faster than this is an improvement (default 10)");
    ADD("tie", "RULE", OPTION_TEXT, &arguments->tie,
        "neutral, or proven: maintained where non-inferiority is shown");
    ADD("bootstrap", "KIND", OPTION_TEXT, &arguments->bootstrap,
        "exact (default), or mt19937:SEED drawn literally");
    ADD("allow-different", "LIST", OPTION_TEXT, &arguments->allow_different,
        "of problem,device,driver,clock_policy,regime,cache_mode,threads");
    ADD("fail-on", "WHAT", OPTION_TEXT, &arguments->fail_on, "regression: no significant difference is 0");
    ADD("no-guards", NULL, OPTION_FLAG, &arguments->has_no_guards,
        "the rule's verdict, with what would have refused it");
    ADD("allow-removed", NULL, OPTION_FLAG, &arguments->classic.spec.allows_removed,
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
    char *format_help = mem_format("form of the files: %s", formats);
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
    .details = "Applies the classic rule to two result files: more than 3 % slower with intervals apart\n"
               "is a regression, more than 10 % faster an improvement. A file has one machine and one run\n"
               "behind it: what that cannot certify is said. Files are assay's results, or what NVBench\n"
               "(--jsonbin) and google-benchmark (JSON, with repetitions) wrote; their content says which.\n"
               "Two files of the older 'integrated' form are compared by their means.\n"
               "Codes: 0 maintained or improved, 1 regression, 2 no significant difference,\n"
               "3 invalid, not comparable, or a problem was removed.\n\n"
               "example\n  assay compare .ci/baseline.json runs/summary.json --fail-on regression",
    .run = run_compare,
    .is_on_first_screen = true,
};
