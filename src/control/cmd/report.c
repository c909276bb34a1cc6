// SPDX-License-Identifier: Apache-2.0
//
// `assay report`: prints a result again, its figures recomputed from the raw samples, a decision as recorded;
// with --samples the samples themselves, with --roofline where its kernels lie under the ceilings of their
// device.
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "control/cmd/print_result.h"
#include "control/flow/profile/roofline_result.h"
#include "control/flow/report/report_page.h"
#include "control/flow/run_folder.h"
#include "control/flow/tune/tune_state.h"
#include "format/format.h"
#include "report/formats/report_formats.h"
#include "report/roofline/roofline_report.h"
#include "report/samples/sample_report.h"
#include "verdict/summary.h"

#define FORMAT_SVG         "svg" // of the roofline only
#define FORMAT_HTML        "html"
#define FORMAT_LOG         "log"
#define TUNE_LOG_BYTES_MAX ((size_t)64 << 20)

struct report_arguments {
    const char *format, *only, *side, *profile_folder;
    bool has_samples, has_roofline, has_html;
};

// Samples and rooflines are of a run.
static int refuse_comparison(const char *path, const char *option, struct err *err) {
    return err_set(
        err, ERR_USAGE,
        "%s is the comparison of two files, without their samples: %s is of a run or of one of these files",
        path, option);
}

// Opens a file of samples, other tools' too.
static int open_samples(const char *path, struct format_document *ret, struct err *err) {
    json_t *root = NULL;
    struct err unread = {0};
    int code = format_open(path, NULL, ret, err);
    if (code == 0 || json_read_file(path, &root, &unread) < 0) return code;
    if (comparison_document_is_one(root)) code = refuse_comparison(path, "--samples", err);
    json_decref(root);
    return code;
}

static int print_samples(const char *path, const struct report_arguments *arguments,
                         const struct cmd_options *options, struct strbuf *out, struct err *err) {
    struct format_document document = {0};
    struct result result = {0};
    TRY(open_samples(path, &document, err));
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

// What a file holds: a result, or the comparison of two, which `assay compare` writes.
struct reported {
    bool is_comparison;
    struct result result;                  // of a result
    struct comparison_document comparison; // else
};

static void reported_fini(struct reported *reported) {
    if (reported->is_comparison) comparison_document_fini(&reported->comparison);
    result_fini(&reported->result);
}

static const struct result *reported_result(const struct reported *reported) {
    return reported->is_comparison ? &reported->comparison.result : &reported->result;
}

static int read_document(const json_t *root, const char *path, struct reported *ret, struct err *err) {
    if (!comparison_document_is_one(root)) return result_parse(root, path, &ret->result, err);
    TRY(comparison_document_read(root, path, &ret->comparison, err));
    ret->is_comparison = true;
    return 0;
}

// For another tool's file, an error that says which command reads it.
static int read_reported(const char *path, struct reported *ret, struct err *err) {
    struct format_document document = {0};
    struct err unknown = {0};
    json_t *root = NULL;
    int code = json_read_file(path, &root, err);
    if (code == 0) code = read_document(root, path, ret, err);
    json_decref(root);
    if (code == 0 || format_open(path, NULL, &document, &unknown) < 0) return code;
    if (document.format != &format_assay)
        code = err_set(err, ERR_DATA, "%s is %s: %sassay compare compares it", path, document.format->title,
                       document.format->read ? "assay report --samples shows it, " : "");
    format_close(&document);
    return code;
}

static void add_roofline(const struct roofline *roofline, const char *format,
                         const struct cmd_options *options, struct strbuf *out) {
    const struct roofline_text_options text = {.has_color = cmd_wants_color(options) && !options->output,
                                               .has_utf8 = term_has_utf8(),
                                               .width = term_width(STDOUT_FILENO)};
    if (options->is_json || str_equal(format, "json"))
        roofline_json(roofline, out);
    else if (str_equal(format, FORMAT_SVG))
        roofline_svg(roofline, out);
    else
        roofline_text(roofline, &text, out);
}

static int print_roofline(const char *path, const struct report_arguments *arguments,
                          const struct cmd_options *options, struct strbuf *out, struct err *err) {
    const struct roofline_request request = {arguments->side, arguments->profile_folder};
    struct arena arena = {0};
    struct reported reported = {.is_comparison = false};
    struct roofline roofline;
    int code = read_reported(path, &reported, err);
    if (code == 0 && reported.is_comparison) code = refuse_comparison(path, "--roofline", err);
    if (code == 0) code = roofline_from_result(&reported.result, &request, &arena, &roofline, err);
    if (code == 0) add_roofline(&roofline, arguments->format, options, out);
    reported_fini(&reported);
    arena_fini(&arena);
    return code;
}

// A comparison has a decision, and neither times of its own nor the course of a run.
static int check_comparison(const char *path, const char *format, struct err *err) {
    const struct report_format *found = report_format_find(format);
    if (!(found && found->holds_times) && !str_equal(format, FORMAT_LOG)) return 0;
    return err_set(
        err, ERR_USAGE,
        "%s is the comparison of two files, without their samples: format %s is of a run; text, line, "
        "summary, markdown, html, junit, sarif and json print a comparison",
        path, format);
}

static int print_result(const char *path, const struct report_arguments *arguments,
                        const struct cmd_options *options, struct strbuf *out, struct err *err) {
    struct reported reported = {.is_comparison = false};
    const char *format = arguments->format ? arguments->format : cmd_report_format(options);
    int code = read_reported(path, &reported, err);
    if (code == 0 && summary_set_all(&reported.result) < 0)
        code = err_set(err, ERR_INTERNAL, "no memory for the summaries");
    const bool is_comparison = code == 0 && reported.is_comparison;
    struct report_options report =
        is_comparison ? report_of_document(&reported.comparison) : report_options_default();
    report.has_color = cmd_wants_color(options) && !options->output;
    report.is_failures_only = options->is_failures_only;
    if (str_equal(format, "markdown")) report.limit_bytes = REPORT_COMMENT_BYTES;
    if (is_comparison) code = check_comparison(path, format, err);
    if (code == 0 && is_comparison && str_equal(format, "json"))
        code = comparison_document_write(&reported.comparison, out, err);
    else if (code == 0)
        code = str_equal(format, FORMAT_HTML)
                   ? report_page_add(reported_result(&reported), report, out, err)
                   : cmd_report(format, reported_result(&reported), &report, out, err);
    reported_fini(&reported);
    return code;
}

static bool is_later(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

// Whether the newest finished run is a tuning.
static bool is_tuning_last(const char *root) {
    size_t tuning_count, run_count;
    struct run_entry *tunings = run_list(root, TUNE_FILE, &tuning_count);
    struct run_entry *runs = run_list(root, "result.json", &run_count);
    const bool is_last = tuning_count && (!run_count || is_later(&tunings[0].written, &runs[0].written));
    run_list_free(tunings, tuning_count);
    run_list_free(runs, run_count);
    return is_last;
}

// The log of a tuning, whose folder has no result. NULL: the name means another run. The caller frees.
static char *find_tune_log(const char *name, const char *root) {
    if (str_equal(name, "last") && !is_tuning_last(root)) return NULL;
    char *dir = run_dir_of(name, root, TUNE_FILE), *document = path_join(dir, TUNE_FILE);
    char *ret = file_exists(document) ? path_join(dir, TUNE_LOG) : NULL;
    free(document);
    free(dir);
    return ret;
}

static int add_file(const char *path, struct strbuf *out, struct err *err) {
    char *text;
    TRY(file_read(path, TUNE_LOG_BYTES_MAX, &text, NULL, err));
    strbuf_add(out, text);
    free(text);
    return 0;
}

// What the report is of: a tuning's log, or a result.
static int print_one(const char *name, const struct report_arguments *arguments,
                     const struct cmd_options *options, struct strbuf *out, struct err *err) {
    const char *root = options->session.output_dir;
    char *path = str_equal(arguments->format, FORMAT_LOG) ? find_tune_log(name, root) : NULL;
    int code = 0;
    if (path && options->is_failures_only)
        code = err_set(
            err, ERR_USAGE,
            "--failures-only leaves out rows of a result; '%s' is the log of a tuning: leave it out", path);
    else
        code = path ? add_file(path, out, err) : run_find_result(name, root, &path, err);
    if (code == 0 && !out->length)
        code = arguments->has_samples    ? print_samples(path, arguments, options, out, err)
               : arguments->has_roofline ? print_roofline(path, arguments, options, out, err)
                                         : print_result(path, arguments, options, out, err);
    free(path);
    return code;
}

static int check_failures_only(const struct report_arguments *arguments, const struct cmd_options *options,
                               struct err *err) {
    const char *format = arguments->format;
    const bool has_rows = !format || str_equal(format, "text") || str_equal(format, "markdown") ||
                          str_equal(format, FORMAT_LOG);
    if (!options->is_failures_only) return 0;
    if (has_rows && !options->is_json && !arguments->has_samples && !arguments->has_roofline) return 0;
    return err_set(
        err, ERR_USAGE,
        "--failures-only leaves rows out of a report as text, markdown or log, and of nothing else: "
        "leave it out, or ask for one of them");
}

// --html and --json are names of formats, too.
static int choose_format(struct report_arguments *arguments, const struct cmd_options *options,
                         struct err *err) {
    if (arguments->has_html && arguments->format && !str_equal(arguments->format, FORMAT_HTML))
        return err_set(err, ERR_USAGE, "--html and --format %s are two formats: ask for one of them",
                       arguments->format);
    if (arguments->has_html) arguments->format = FORMAT_HTML;
    if (!options->is_json || !arguments->format || str_equal(arguments->format, "json")) return 0;
    return err_set(err, ERR_USAGE, "--json and %s%s are two formats: ask for one of them",
                   arguments->has_html ? "--" : "--format ", arguments->format);
}

// An option that would silently do nothing is an error.
static int check_arguments(struct report_arguments *arguments, const struct cmd_options *options,
                           struct err *err) {
    TRY(choose_format(arguments, options, err));
    const char *format = arguments->format;
    const bool is_text = !format || str_equal(format, "text") || str_equal(format, "json");
    if (str_equal(format, FORMAT_SVG)) arguments->has_roofline = true;
    if (arguments->has_samples && arguments->has_roofline)
        return err_set(err, ERR_USAGE, "--samples and --roofline are two reports: ask for one of them");
    if (!arguments->has_samples && arguments->only)
        return err_set(err, ERR_USAGE, "--only and --side choose what --samples shows; add --samples");
    if (!arguments->has_samples && !arguments->has_roofline && arguments->side)
        return err_set(err, ERR_USAGE, "--side chooses what --samples or --roofline shows; add one of them");
    if (!arguments->has_roofline && arguments->profile_folder)
        return err_set(err, ERR_USAGE, "--profile adds counted points to --roofline; add --roofline");
    if (arguments->has_samples && !is_text)
        return err_set(err, ERR_USAGE, "--samples is for a terminal: --format takes text or json with it");
    if (arguments->has_roofline && !is_text && !str_equal(format, FORMAT_SVG))
        return err_set(err, ERR_USAGE, "--roofline is text, svg or json, not '%s'", format);
    return check_failures_only(arguments, options, err);
}

static int run_report(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct report_arguments arguments = {0};
    const char **output_dir = &options.session.output_dir;
    const struct option own[] = {
        {"format", "NAME", "text (default), markdown, html, junit, csv, ...: 'assay list formats'",
         OPTION_TEXT, &arguments.format},
        {"html", NULL, "one page with charts for a browser: --format html", OPTION_FLAG, &arguments.has_html},
        {"samples", NULL, "the samples: figures, distribution, course over time", OPTION_FLAG,
         &arguments.has_samples},
        {"only", "LIST", "with --samples: only these problems", OPTION_TEXT, &arguments.only},
        {"roofline", NULL, "where the kernels lie under the ceilings of their device", OPTION_FLAG,
         &arguments.has_roofline},
        {"profile", "DIR", "with --roofline: adds counted points, from the pages of assay profile",
         OPTION_TEXT, &arguments.profile_folder},
        {"side", "K", "with --samples, --roofline: only this kernel (or baseline, candidate)", OPTION_TEXT,
         &arguments.side},
        {"manifest", "F", "beside which the runs lie (default: assay.yaml here or above)", OPTION_TEXT,
         &options.session.manifest},
        {"output-dir", "D", "folder of all runs (default runs, beside the manifest)", OPTION_TEXT,
         output_dir},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct err err = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0) code = check_arguments(&arguments, &options, &err);
    struct strbuf out = {0};
    if (options.output) term_page_set(0);
    if (code == 0)
        code = print_one(line.word_count ? line.words[0] : "last", &arguments, &options, &out, &err);
    if (code == 0 && options.output) {
        code = file_write_atomic(options.output, strbuf_text(&out), out.length, &err);
        strbuf_fini(&out); // nothing is left to print
    }
    return cmd_end(&options, code, &out, &err);
}

const struct command command_report = {
    .name = "report",
    .summary = "print a stored result, its figures recomputed from the raw samples",
    .usage = "assay report [FILE|RUN|last] [--format NAME] [--output F]\n"
             "       assay report [FILE|RUN|last] --samples [--only LIST] [--side K] [--json]\n"
             "       assay report [FILE|RUN|last] --roofline [--format text|svg|json] [--profile DIR] "
             "[--output F]",
    .details =
        "Reads a result document, or the JSON of compare, and prints it. Figures of a kernel are recomputed\n"
        "from the raw samples.\n"
        "A decision is printed as recorded; a warning says where its medians and changes are not those\n"
        "of the samples of its rounds.\n"
        "--html makes one page with charts that needs no network; runs write theirs to report.html.\n"
        "With --samples, for each problem and side: the figures with their confidence limits, the\n"
        "distribution, the course over time with what was discarded, and the medians of the rounds.\n"
        "With --roofline, each kernel's FLOP/byte and FLOP/s under the measured ceilings of its device,\n"
        "as a plot in characters or a drawing. --profile artifacts/ncu adds points of counted bytes.\n"
        "\n"
        "examples\n"
        "  assay report last --format markdown --output comment.md\n"
        "  assay report last --html --output report.html\n"
        "  assay report last --samples --only s512\n"
        "  assay report last --format svg --output roofline.svg",
    .run = run_report,
    .option_groups = CMD_OPTIONS_OUTPUT | CMD_OPTIONS_FAILURES,
};
