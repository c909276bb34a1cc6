// SPDX-License-Identifier: Apache-2.0
//
// `assay report`: prints a result again, every figure recomputed from its raw samples; with --samples the
// samples themselves.
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
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
    char *dir = NULL;
    if (run_find(name, output_dir, &dir, err) < 0) return NULL;
    char *path = path_join(dir, "result.json");
    free(dir);
    return path;
}

static int print_samples(const char *path, const struct report_arguments *arguments,
                         const struct cmd_options *options, struct strbuf *out, struct err *err) {
    struct format_document document = {0};
    struct result result = {0};
    TRY(format_open(path, NULL, &document, err)); // other tools' files too
    int code = document.format->read
                   ? format_read(&document, &result, err)
                   : err_set(err, ERR_DATA, "%s: %s holds means: there are no samples to look at", path,
                             document.format->title);
    format_close(&document);
    struct sample_report_options report = {.only = arguments->only,
                                           .side = arguments->side,
                                           .has_color = cmd_wants_color(options) && !options->output,
                                           .has_utf8 = term_has_utf8(),
                                           .width = term_width(STDOUT_FILENO)};
    const bool is_json = options->is_json || str_equal(arguments->format, "json");
    if (code == 0)
        code = is_json ? sample_report_json(&result, &report, out, err)
                       : sample_report_text(&result, &report, out, err);
    result_fini(&result);
    return code;
}

// Reads a result document. For another tool's file, an error that says which command reads it.
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

static int print_result(const char *path, const struct report_arguments *arguments,
                        const struct cmd_options *options, struct strbuf *out, struct err *err) {
    struct result result = {0};
    const char *format = arguments->format ? arguments->format : options->is_json ? "json" : "text";
    struct report_options report = report_options_default();
    report.has_color = cmd_wants_color(options) && !options->output;
    if (str_equal(format, "markdown")) report.limit_bytes = REPORT_COMMENT_BYTES;
    int code = read_result(path, &result, err);
    if (code == 0 && summary_set_all(&result) < 0)
        code = err_set(err, ERR_INTERNAL, "no memory for the summaries");
    if (code == 0) code = cmd_report(format, &result, &report, out, err);
    result_fini(&result);
    return code;
}

static int run_report(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct report_arguments arguments = {0};
    const char **output_dir = &options.session.output_dir;
    const struct option own[] = {
        {"format", "NAME", "text (default), markdown or json", OPTION_TEXT, &arguments.format},
        {"samples", NULL, "the samples: figures, distribution, course over time", OPTION_FLAG,
         &arguments.has_samples},
        {"only", "LIST", "with --samples: only these problems", OPTION_TEXT, &arguments.only},
        {"side", "K", "with --samples: only this kernel (or baseline, candidate)", OPTION_TEXT,
         &arguments.side},
        {"output-dir", "D", "folder of all runs (default runs)", OPTION_TEXT, output_dir},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct err err = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    const char *format = arguments.format;
    if (code == 0 && !arguments.has_samples && (arguments.only || arguments.side))
        code = err_set(&err, ERR_USAGE, "--only and --side choose what --samples shows; add --samples");
    if (code == 0 && arguments.has_samples && format && !str_equal(format, "text") &&
        !str_equal(format, "json"))
        code = err_set(&err, ERR_USAGE, "--samples is for a terminal: --format takes text or json with it");
    char *path = code == 0 ? find_file(line.word_count ? line.words[0] : "last", *output_dir, &err) : NULL;
    if (!path) return cmd_fail(&options, &err);
    struct strbuf out = {0};
    code = arguments.has_samples ? print_samples(path, &arguments, &options, &out, &err)
                                 : print_result(path, &arguments, &options, &out, &err);
    if (code == 0 && options.output)
        code = file_write_atomic(options.output, strbuf_text(&out), out.length, &err);
    else if (code == 0)
        code = cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
    free(path);
    return code < 0 ? cmd_fail(&options, &err) : code;
}

const struct command command_report = {
    .name = "report",
    .summary = "print a stored result, recomputed from its raw samples",
    .usage = "assay report [FILE|RUN|last] [--format text|markdown|json] [--output F]\n"
             "       assay report [FILE|RUN|last] --samples [--only LIST] [--side K] [--json]",
    .details = "Reads a result document and prints it; every figure is recomputed from the raw samples.\n"
               "With --samples, for each problem and side: the figures with their confidence limits, the\n"
               "distribution, the course over time with what was discarded, and the medians of the rounds.\n"
               "\n"
               "examples\n"
               "  assay report last --format markdown --output comment.md\n"
               "  assay report last --samples --only s512",
    .run = run_report,
    .option_groups = CMD_OPTIONS_OUTPUT,
};
