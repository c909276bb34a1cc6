// SPDX-License-Identifier: Apache-2.0
//
// Subcommands. A command parses its options, calls flow/ and report/, prints, and returns the exit code. Only
// cmd/ prints and exits.
#ifndef CONTROL_CMD_COMMAND_H
#define CONTROL_CMD_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "control/cmd/help.h"
#include "control/cmd/option.h"
#include "control/flow/device_lock.h"
#include "control/flow/session_options.h"

// Every command, in the order of `assay --help`. A new one is a file like cmd/gate.c and its name here.
// clang-format off
#define COMMANDS(X)                                                                                          \
    X(list) X(fuzz) X(bench) X(gate) X(compare) /* the first screen */                                       \
    X(build) X(run) X(baseline) X(calibrate) X(devices) X(report) X(profile) X(bisect) X(tune) X(referee)    \
    X(history) X(serve) X(publish) X(notify) X(doctor) X(init) X(worker) X(host) X(confined)
// clang-format on

// The common options that a command accepts, besides --verbose --quiet --json --color --help.
enum cmd_option_group {
    CMD_OPTIONS_SESSION = 1,   // --manifest --device --threads --seed
    CMD_OPTIONS_SUITE = 2,     // --suite --only --shapes --problem --dtype
    CMD_OPTIONS_KERNEL = 4,    // --kernel --module --config --arch
    CMD_OPTIONS_RUN = 8,       // --output-dir --resume --dry-run
    CMD_OPTIONS_OUTPUT = 16,   // --output
    CMD_OPTIONS_SAMPLING = 32, // --iters --warmup --until --sample-time --case-time --cache --power-mode ...
    CMD_OPTIONS_FAILURES = 64, // --failures-only
    CMD_OPTIONS_LOCK = 128,    // --no-wait: a command that takes the lock of its device
    CMD_OPTIONS_CHECKING = 31, // neither sampling nor the lock: a command that runs kernels
    CMD_OPTIONS_MEASURING = 63 | 128 // the same, and both: a command that measures them
};

struct command {
    const char *name, *summary, *usage, *details; // as in struct help_page
    int (*run)(const struct command *command, int argc, char **argv);
    unsigned option_groups;
    bool is_on_first_screen, is_hidden;
    bool is_output_document; // --output receives the document that --json prints, so "--output -" is --json
    bool lists_dataset;      // --dataset alone is enough
    bool takes_candidate;    // beside --dataset a word FILE.py is no operator's file
    bool isolates;           // a process of its own for each kernel, unless --isolation says otherwise
    bool resumes_plan;       // with --resume all that is measured is in the run's plan: no option changes it
};

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

// Values of the common options.
struct cmd_options {
    struct session_options session;
    struct device_lock device_lock; // what session.device_lock points to, of commands that measure
    char command_line[1024];        // what session.command_line points to; cut when longer
    char output_dir[4096];          // what session.output_dir points to, unless --output-dir is given
    const char *output;             // --output
    const char *trace;              // --trace
    const char *priority;           // --priority, the same
    const char *metric;             // --metric, the same
    const char *power_mode;         // --power-mode, checked and moved into session.sampling by cmd_parse
    const char *cache;              // --cache, the same
    const char *isolation;          // --isolation, the same
    const char *help_form;          // --help-as
    bool is_json, is_quiet, is_help, is_dry_run, is_failures_only;
    enum term_color color;
};

struct help_page cmd_help_page(const struct command *command);
struct cmd_options cmd_options_default(void);

// Parses the command's own options (an array that ends with {0}; NULL: none) and the common ones.
enum { CMD_HELP_PRINTED = 1 }; // --help was given: there is nothing else to do
int cmd_parse(const struct command *command, const struct option *own, struct cmd_options *options,
              struct option_line *line, struct err *err);

// Prints "assay: error: ..." (or the JSON form with --json) and returns the exit code of the error.
int cmd_fail(const struct cmd_options *options, const struct err *err);
// Prints the error, but returns `code`: a build that fails is a decision of the gate.
int cmd_fail_with(const struct cmd_options *options, const struct err *err, int code);
// The end of a command whose answer is a text: prints it, or the error where code is negative, and frees it.
// Returns the exit code: of the error, else of a failed write, else code.
int cmd_end(const struct cmd_options *options, int code, struct strbuf *answer, const struct err *err);
// Reports an error from closing a run (code is negative) on standard error only, since the output is
// complete. Returns exit_code unless that is 0, else the code of the error.
int cmd_close(int code, const struct err *err, int exit_code);
// Writes a file beside an answer that is printed: path may be NULL. A failure takes nothing back: it is
// reported, and returned, as cmd_close does.
int cmd_write_beside(const char *path, const struct strbuf *text, int exit_code);

// Writes text to standard output; 0, or the exit code of a failed write. Whatever it quotes, a terminal and
// the log of a workflow see lines and our own colours only (term_add_page). Lines that quote foreign text are
// made with strbuf_add_linef, so that it adds no lines of its own.
int cmd_print(const char *text);
int cmd_print_free(struct strbuf *text); // the same, and frees the text
// After a failed write: whether nobody reads the stream any more, as behind `| head`. That is no failure;
// what is written from now on goes nowhere.
bool cmd_is_reader_gone(FILE *stream);
void cmd_note_free(struct strbuf *text); // the same to standard error, where a failed write changes nothing
// Workflow commands to standard error as they are, for a runner to obey; frees them. They escape what they
// quote, and standard output may be a document.
void cmd_command_runner_free(struct strbuf *commands);
// The parts of text between separators (one of these bytes) as a JSON array; NULL writes nothing.
struct json_writer;
void cmd_write_parts(struct json_writer *w, const char *key, const char *text, const char *separators);
bool cmd_wants_color(const struct cmd_options *options);
bool cmd_wants_progress(const struct cmd_options *options); // and lines while the command runs

#endif
