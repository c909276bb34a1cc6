// SPDX-License-Identifier: Apache-2.0
//
// Command-line options: each command declares a table of its options and where their values go; parsing,
// `--help` and "did you mean" come from the table. `--name VALUE` and `--name=VALUE` are the same; `--` ends
// options.
#ifndef CONTROL_CMD_OPTION_H
#define CONTROL_CMD_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

enum option_kind {
    OPTION_INVALID = 0,
    OPTION_FLAG,     // bool: true when given
    OPTION_TEXT,     // const char *
    OPTION_U64,      // uint64_t
    OPTION_U32,      // uint32_t
    OPTION_COUNT,    // uint32_t, 1 or more: where 0 means that the option is not given
    OPTION_PERCENT,  // double; a trailing % is allowed
    OPTION_SHARE,    // the same, above 0 to 100
    OPTION_DURATION, // uint64_t, ns, above 0: 50us, 1ms, 2s
    OPTION_COLOR,    // enum term_color
    OPTION_HEADING,  // no option: OPTION_UNDER
    OPTION_FORMER,   // no option: OPTION_FORMERLY
    OPTION_KIND_COUNT
};

struct option {
    const char *name; // without --
    // "F", or the words that it takes, "cold|rotate|warm"; completion offers these, and for KERNEL, PEERS and
    // SUITE what `assay list` shows. NULL for flags.
    const char *value_name;
    const char *help; // NULL: not shown
    enum option_kind kind;
    void *target;
};

// The headings of a help text, in this order. Options stand under OPTION_WHAT until a row of their table says
// OPTION_UNDER another one.
#define OPTION_WHAT     "what is run"
#define OPTION_HOW      "how it is measured"
#define OPTION_DECISION "what decides"
#define OPTION_OUTPUT   "output"
#define OPTION_UNDER(heading_)                                                                               \
    { .name = (heading_), .kind = OPTION_HEADING }
// A name that the option of the row above had before: it still works, and no help shows it.
#define OPTION_FORMERLY(name_)                                                                               \
    { .name = (name_), .kind = OPTION_FORMER }

struct option_table {
    const char *command; // "gate", for messages
    size_t count;
    struct option items[80];
    const char *headings[80], *formers[80]; // of the items; without a former name NULL
};

// Adds options up to the entry without a name, each under its heading.
void option_add_all(struct option_table *table, const struct option *options);

// A command line: its arguments, and those words that are no options, in their order.
#define OPTION_WORDS_MAX 16
#define OPTION_GIVEN_MAX 64
struct option_line {
    int argc;
    char **argv;
    size_t word_max; // at most OPTION_WORDS_MAX
    size_t word_count;
    const char *words[OPTION_WORDS_MAX];
    bool takes_operator_file;  // a word FILE.py ...
    const char *operator_file; // ... which counts as none of the words; NULL: not given
    size_t given_count; // options, by their names, in their order; those beyond the most are not listed
    const char *given[OPTION_GIVEN_MAX];
    bool is_former[OPTION_GIVEN_MAX]; // by its former name
};

// Parses argv[1..] into the targets and line->words. ERR_USAGE with a suggestion.
int option_parse(const struct option_table *table, struct option_line *line, struct err *err);
// The headings that help has: those that have options; where all options fit a screen one for all, NULL.
#define OPTION_HEADINGS_MAX 4
size_t option_headings(const struct option_table *table, const char *ret[OPTION_HEADINGS_MAX]);
// Whether help shows the option under that heading, one of option_headings.
bool option_is_under(const struct option_table *table, size_t index, const char *heading);
void option_help(const struct option_table *table, struct strbuf *out); // headings, aligned lists

#endif
