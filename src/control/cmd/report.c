// SPDX-License-Identifier: Apache-2.0
//
// `assay report`: prints a result again, every figure recomputed from its raw samples; with --samples the
// samples themselves.
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/cmd/commands.h"
#include "control/cmd/print_result.h"
#include "control/format/format.h"
#include "control/report/samples/sample_report.h"
#include "control/verdict/summary.h"

struct report_arguments {
    const char *format, *only, *side;
    bool has_samples;
};

// A result file, a run's folder, a run's id, or "last".
static char *find_file(const char *name, const char *output_dir, struct err *err) {
    if (file_exists(name) && !file_is_dir(name)) return mem_strdup(name);
    if (str_ends(name, ".json")) {
        err_set(err, ERR_NO_INPUT, "there is no file '%s'", name);
        return NULL;
    }
    struct session_options options = {.resume = name, .output_dir = output_dir};
    char *dir = NULL;
    if (run_find(&options, &dir, err) < 0) return NULL;
    char *path = path_join(dir, "result.json");
    free(dir);
    return path;
}

// The result in a form of reports (report.h).
static int print_result(struct result *result, const struct report_arguments *arguments,
                        const struct cmd_options *options, struct strbuf *out, struct err *err) {
    const char *format = arguments->format ? arguments->format : options->is_json ? "json" : "text";
    struct report_options report = report_options_default();
    report.has_color = cmd_wants_color(options) && !options->output;
    if (str_equal(format, "markdown")) report.limit_bytes = REPORT_COMMENT_BYTES;
    if (summary_set_all(result) < 0) return err_set(err, ERR_INTERNAL, "no memory for the summaries");
    return cmd_report(format, result, &report, out, err);
}

static int print_samples(const struct result *result, const struct report_arguments *arguments,
                         const struct cmd_options *options, struct strbuf *out, struct err *err) {
    struct sample_report_options report = {.only = arguments->only,
                                           .side = arguments->side,
                                           .has_color = cmd_wants_color(options) && !options->output,
                                           .has_utf8 = term_has_utf8(),
                                           .width = term_width(STDOUT_FILENO)};
    if (options->is_json || str_equal(arguments->format, "json"))
        return sample_report_json(result, &report, out, err);
    return sample_report_text(result, &report, out, err);
}

// Of every form of document that holds samples, other tools' too.
static int read_samples(const char *path, struct result *ret, struct err *err) {
    struct format_document document = {0};
    TRY(format_open(path, NULL, &document, err));
    int code = document.format->read
                   ? format_read(&document, ret, err)
                   : err_set(err, ERR_DATA, "%s: %s holds means: there are no samples to look at", path,
                             document.format->title);
    format_close(&document);
    return code;
}

// A result document; of another tool's file, what to do with it instead.
static int read_result(const char *path, struct result *ret, struct err *err) {
    struct format_document document = {0};
    struct err unknown = {0};
    int code = result_read_file(path, ret, err);
    if (code == 0 || format_open(path, NULL, &document, &unknown) < 0) return code;
    if (document.format != &format_assay)
        code = err_set(err, ERR_DATA, "%s is %s: %sassay compare compares it", path, document.format->title,
                       document.format->read ? "assay report --samples shows it, " : "");
    format_close(&document);
    return code;
}

static int print_report(const char *path, const struct report_arguments *arguments,
                        const struct cmd_options *options, struct err *err) {
    struct result result = {0};
    struct strbuf out = {0};
    int code = arguments->has_samples ? read_samples(path, &result, err) : read_result(path, &result, err);
    if (code == 0)
        code = arguments->has_samples ? print_samples(&result, arguments, options, &out, err)
                                      : print_result(&result, arguments, options, &out, err);
    if (code == 0 && options->output)
        code = file_write_atomic(options->output, strbuf_text(&out), out.length, err);
    else if (code == 0)
        code = cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
    result_fini(&result);
    return code;
}

static int check_arguments(const struct report_arguments *arguments, struct err *err) {
    if (!arguments->has_samples && (arguments->only || arguments->side))
        return err_set(err, ERR_USAGE, "--only and --side choose what --samples shows; add --samples");
    bool is_known =
        !arguments->format || str_equal(arguments->format, "text") || str_equal(arguments->format, "json");
    if (arguments->has_samples && !is_known)
        return err_set(err, ERR_USAGE, "--samples is for a terminal: --format takes text or json with it");
    return 0;
}

static int run_report(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct report_arguments arguments = {0};
    struct option_table table = {.command = command->name};
#define ADD(name, value, kind, target, help)                                                                 \
    option_add(&table, (struct option){name, value, help, kind, target})
    ADD("format", "NAME", OPTION_TEXT, &arguments.format, "text (default), markdown or json");
    ADD("samples", NULL, OPTION_FLAG, &arguments.has_samples,
        "what the samples look like: figures, distribution, course over time");
    ADD("only", "LIST", OPTION_TEXT, &arguments.only, "with --samples: these problems alone");
    ADD("side", "K", OPTION_TEXT, &arguments.side,
        "with --samples: this kernel alone (or baseline, candidate)");
    ADD("output-dir", "D", OPTION_TEXT, &options.session.output_dir, "where runs are kept (default runs)");
#undef ADD
    cmd_options_add(&table, &options, CMD_OPTIONS_OUTPUT);
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct err err = {0};
    int code = cmd_parse(command, &table, &options, &line, &err);
    if (code == 1) return 0;
    if (code == 0) code = check_arguments(&arguments, &err);
    char *path = code == 0
                     ? find_file(line.word_count ? line.words[0] : "last", options.session.output_dir, &err)
                     : NULL;
    if (!path) return cmd_fail(&options, &err);
    code = print_report(path, &arguments, &options, &err);
    free(path);
    return code < 0 ? cmd_fail(&options, &err) : code;
}

const struct command command_report = {
    .name = "report",
    .summary = "print a result again, recomputed from its raw samples",
    .usage = "assay report [FILE|RUN|last] [--format text|markdown|json] [--output F]\n"
             "       assay report [FILE|RUN|last] --samples [--only LIST] [--side K] [--json]",
    .details =
        "Reads a result document and prints it; nothing stored is trusted but the raw samples.\n"
        "With --samples, of each problem and side: the figures with their limits, the distribution, the\n"
        "course over time with what was discarded, and the medians of the rounds.\n\n"
        "examples\n  assay report last --format markdown --output comment.md\n"
        "  assay report last --samples --only s512",
    .run = run_report,
};
