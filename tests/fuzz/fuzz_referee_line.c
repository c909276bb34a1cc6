// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a line on the referee's socket: it is refused with a sentence, or written again and read as
// the same.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "control/flow/referee/referee_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(const struct referee_line *line) {
    struct strbuf once = {0}, twice = {0};
    struct arena arena = {0};
    struct referee_line again;
    struct err err = {0};
    if (line->file && (strchr(line->file, '/') || line->file[0] == '.')) abort();
    referee_line_write(line, &once);
    if (memchr(strbuf_text(&once), '\n', once.length - 1)) abort();
    if (referee_line_parse(strbuf_text(&once), once.length - 1, &arena, &again, &err) < 0) abort();
    referee_line_write(&again, &twice);
    if (strcmp(strbuf_text(&once), strbuf_text(&twice)) != 0) abort();
    strbuf_fini(&once);
    strbuf_fini(&twice);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct arena arena = {0};
    struct referee_line line;
    struct err err = {0};
    if (referee_line_parse((const char *)bytes, count, &arena, &line, &err) == 0)
        check(&line);
    else if (!err.text[0])
        abort();
    arena_fini(&arena);
    return 0;
}
