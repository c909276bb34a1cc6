// SPDX-License-Identifier: Apache-2.0
//
// How plans, checks and results are printed by the commands that make them, and the exit code of bench.
#ifndef CONTROL_CMD_PRINT_RESULT_H
#define CONTROL_CMD_PRINT_RESULT_H

#include "control/cmd/command.h"
#include "control/flow/run_folder.h"
#include "report/result/report.h"
#include "store/store.h"

// Appends the result as a report: "text", "markdown" or "json"; ERR_USAGE for another format.
int cmd_report(const char *format, const struct result *result, const struct report_options *report,
               struct strbuf *out, struct err *err);
// How a result is printed at the end of a command: "text", with --json "json", with --quiet "line".
const char *cmd_report_format(const struct cmd_options *options);
// --quiet of a command that has no result: its sentence, one line. 0, or the exit code of a failed write.
int cmd_print_sentence(const struct cmd_options *options, const char *sentence, int exit_code);
// report.html in the run's folder, once its result is written.
int cmd_write_page(const struct run *run, struct err *err);

// The end of every measuring command: prints the result and writes --output. Returns the exit code (0
// measured, 1 a kernel failed its check, crashed or hung, 3 the measurement is not valid; in place of 0 that
// of a file that could not be written) or a negative error.
int cmd_print_bench(struct run *run, const struct cmd_options *options, struct err *err);
// Copies the result to runs/, once it is printed; returns as cmd_write_beside.
int cmd_write_copies(const struct run *run, int exit_code);
// Writes --output, if given, once the result is printed and kept; returns as cmd_write_beside.
int cmd_write_output(const struct cmd_options *options, const struct result *result, int exit_code);
// Keeps a measured run in the history of its project; a failure is a line on standard error.
void cmd_keep(struct session *session, const struct run *run);
void cmd_warn(const char *warning); // that line; NULL: there is none
// Appends the report of a run of the store.
int cmd_report_stored(struct store *store, const char *run_id, const char *format, bool has_color,
                      struct strbuf *out, struct err *err);
// Keeps the run, prints the error if code is negative, closes run and session. Returns the exit code.
int cmd_finish(const struct cmd_options *options, int code, struct run *run, struct session *session,
               struct err *err);

// --dry-run: prints what would be done. Returns the exit code.
int cmd_print_plan(const struct plan *plan, const struct cmd_options *options);
// The same for a bench. fallback_suite: the suite if --suite is not given.
int cmd_print_bench_plan(struct session *session, const char *fallback_suite, uint32_t round_count,
                         const struct cmd_options *options, struct err *err);

// --verbose: on standard error, how each side was built and what the compiler said.
void cmd_print_builds(const struct session *session);

// Callbacks with a progress line unless --quiet or --json; with --verbose, the output of workers (such as a
// Python traceback) goes to standard error.
struct run_callbacks cmd_run_callbacks(const struct cmd_options *options);

// An on_check callback that prints the line of a check as soon as its case is done; arg is a struct
// check_print. Silent with --json and --quiet.
struct check_print {
    const struct cmd_options *options;
    struct progress *progress; // hidden while the line is printed
    bool checks_all;           // all sides go through the matrix: lines say which
    const char *no_repeat;     // of the next line: why no command repeats its failure; NULL: one does
};
void cmd_print_check(void *arg, const struct result *result, uint32_t case_index, uint32_t side);

#endif
