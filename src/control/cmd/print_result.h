// SPDX-License-Identifier: Apache-2.0
//
// How results and plans are printed by the commands that make them, and the exit code of bench.
#ifndef CONTROL_CMD_PRINT_RESULT_H
#define CONTROL_CMD_PRINT_RESULT_H

#include "control/cmd/command.h"
#include "control/flow/run_folder.h"
#include "control/report/result/report.h"

// The result in a report's form ("text", "markdown", "json"), appended. ERR_USAGE with the known ones for
// another name.
int cmd_report(const char *format, const struct result *result, const struct report_options *report,
               struct strbuf *out, struct err *err);

// The end of every measuring command: prints the result, writes --output; returns the exit code: 0 measured,
// 1 a kernel failed its check, crashed or hung, 3 the measurement is not valid. Negative: error.
int cmd_print_bench(struct run *run, const struct cmd_options *options, struct err *err);

// --dry-run: what would be done. Returns the exit code.
int cmd_print_plan(const struct plan *plan, const struct cmd_options *options);
// fallback_suite: the suite without --suite.
int cmd_print_bench_plan(struct session *session, const char *fallback_suite, uint32_t round_count,
                         const struct cmd_options *options, struct err *err);

// --verbose: on standard error, how each side was built and what the compiler said.
void cmd_print_builds(const struct session *session);

// --verbose: an on_output callback that prints on standard error what workers printed (a Python traceback);
// NULL without it.
typedef void (*cmd_output_fn)(void *arg, const char *tail);
cmd_output_fn cmd_output_printer(const struct cmd_options *options);

#endif
