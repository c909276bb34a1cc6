// SPDX-License-Identifier: Apache-2.0
//
// What one line on the socket of `assay referee --listen` asks: {"candidate": "mine.c"}, or {"source": "...",
// "file": "mine.c"}. Anybody who reaches the socket may write anything.
#ifndef CONTROL_FLOW_REFEREE_REFEREE_LINE_H
#define CONTROL_FLOW_REFEREE_REFEREE_LINE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#define REFEREE_LINE_BYTES ((size_t)4 << 20) // of a request

struct referee_line {
    const char *candidate; // as on the command line; a path is that of the server's folder
    const char *source;    // its text in place of a file ...
    const char *file;      // ... of that name
    const char *function;  // of a source in Python
    const char *name;      // in lists; NULL: of its file
};

// Texts live in the arena. ERR_DATA with a sentence.
int referee_line_parse(const char *text, size_t length, struct arena *arena, struct referee_line *ret,
                       struct err *err);
void referee_line_write(const struct referee_line *line, struct strbuf *out); // with its newline

#endif
