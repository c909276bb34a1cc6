// SPDX-License-Identifier: Apache-2.0
//
// `assay report`: prints a result again, every figure recomputed from its raw samples.
#include "cmd/commands.h"

#include "base/file.h"
#include "base/mem.h"
#include "cmd/print_result.h"
#include "verdict/summary.h"

#include <stdlib.h>

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

static int print_report(const char *path, const char *format, const struct cmd_options *options,
                        struct err *err) {
    struct result result = {0};
    struct strbuf out = {0};
    struct report_options report = report_options_default();
    report.has_color = cmd_wants_color(options) && !options->output;
    if (str_equal(format, "markdown")) report.limit_bytes = REPORT_COMMENT_BYTES;
    int code = result_read_file(path, &result, err);
    if (code == 0 && summary_set_all(&result) < 0)
        code = err_set(err, ERR_INTERNAL, "no memory for the summaries");
    if (code == 0) code = cmd_report(format, &result, &report, &out, err);
    if (code == 0 && options->output)
        code = file_write_atomic(options->output, strbuf_text(&out), out.length, err);
    else if (code == 0)
        code = cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
    result_fini(&result);
    return code;
}

static int run_report(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    const char *format = NULL;
    struct option_table table = {.command = command->name};
    option_add(&table,
               (struct option){"format", "NAME", "text (default), markdown or json", OPTION_TEXT, &format});
    option_add(&table, (struct option){"output-dir", "D", "where runs are kept (default runs)", OPTION_TEXT,
                                       &options.session.output_dir});
    cmd_options_add(&table, &options, CMD_OPTIONS_OUTPUT);
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct err err = {0};
    int code = cmd_parse(command, &table, &options, &line, &err);
    if (code == 1) return 0;
    char *path = code == 0
                     ? find_file(line.word_count ? line.words[0] : "last", options.session.output_dir, &err)
                     : NULL;
    if (!path) return cmd_fail(&options, &err);
    code = print_report(path, format ? format : options.is_json ? "json" : "text", &options, &err);
    free(path);
    return code < 0 ? cmd_fail(&options, &err) : code;
}

const struct command command_report = {
    .name = "report",
    .summary = "print a result again, recomputed from its raw samples",
    .usage = "assay report [FILE|RUN|last] [--format text|markdown|json] [--output F]",
    .details = "Reads a result document and prints it; nothing stored is trusted but the raw samples.\n\n"
               "example\n  assay report last --format markdown --output comment.md",
    .run = run_report,
};
