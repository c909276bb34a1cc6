// SPDX-License-Identifier: Apache-2.0
//
// What help says of a command, besides its options.
#ifndef CONTROL_CMD_HELP_PAGE_H
#define CONTROL_CMD_HELP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "control/cmd/option.h"

struct help_page {
    const char *name, *summary;
    const char *usage;   // "assay gate [--candidate K] [--baseline K|git:REV|FILE]"
    const char *details; // paragraphs: what it does, exit codes, an example
    bool is_on_first_screen, is_hidden;
};

// Of all commands, in the order of `assay --help`. Hidden ones are left out of what is printed.
struct help_pages {
    const struct help_page *items;
    size_t count;
};

#endif
