// SPDX-License-Identifier: Apache-2.0
//
// Subcommands: one file each, and one line in command_table.c. A command parses its options, calls flow/ and
// report/, prints, and returns the exit code. Only cmd/ prints and exits.
#ifndef CONTROL_CMD_COMMAND_H
#define CONTROL_CMD_COMMAND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "control/cmd/option.h"
#include "control/flow/session.h"

struct command {
    const char *name, *summary;
    const char *usage;   // "assay gate [--candidate K] [--baseline K|git:REV|FILE]"
    const char *details; // paragraphs for --help: what it does, exit codes, an example
    int (*run)(const struct command *command, int argc, char **argv);
    bool is_on_first_screen, is_hidden;
    bool is_output_document; // --output takes the document that --json prints, so "--output -" is --json
};

extern const struct command *const command_table[]; // NULL-terminated

// What all commands share: options, and how to print.
struct cmd_options {
    struct session_options session;
    char command_line[1024]; // what session.command_line points to; cut when longer
    const char *output;      // --output
    const char *power_mode;  // --power mode, the same as cache
    const char *cache;       // --cache, checked and moved into session.sampling by cmd_parse
    bool is_json, is_quiet, is_help, is_dry_run;
    enum term_color color;
};

struct cmd_options cmd_options_default(void);
// Which common options a command takes.
enum cmd_option_group {
    CMD_OPTIONS_SESSION = 1,  // --manifest --device --seed --threads --verbose
    CMD_OPTIONS_SUITE = 2,    // --suite --only --shapes --problem --dtype
    CMD_OPTIONS_KERNEL = 4,   // --kernel --module --config --arch
    CMD_OPTIONS_RUN = 8,      // --output-dir --resume --dry-run
    CMD_OPTIONS_OUTPUT = 16,  // --output
    CMD_OPTIONS_SAMPLING = 32 // --iters --warmup --until --sample-time --case-time --cache --power mode
};
void cmd_options_add(struct option_table *table, struct cmd_options *options,
                     unsigned groups); // plus the general ones

// Parses; handles --help (prints, returns 1). 0: go on. Negative: error.
int cmd_parse(const struct command *command, const struct option_table *table, struct cmd_options *options,
              struct option_line *line, struct err *err);

// Prints "assay: error: ..." (or the JSON form with --json) and returns the exit code.
int cmd_fail(const struct cmd_options *options, const struct err *err);
// For what failed when all was done: after a run is closed. Said on standard error alone, for the output is
// complete. The exit code: exit_code where that is not 0.
int cmd_close(int code, const struct err *err, int exit_code);
// The same with another exit code: a build that fails is a decision of the gate.
int cmd_fail_with(const struct cmd_options *options, const struct err *err, int code);
// Writes text to standard output; 0, or the exit code of a failed write.
int cmd_print(const char *text);
bool cmd_wants_color(const struct cmd_options *options);
bool cmd_wants_progress(const struct cmd_options *options);

#endif
