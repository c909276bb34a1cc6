// SPDX-License-Identifier: Apache-2.0
//
// Any text as a depfile: reading ends, names are not empty, and names written as a compiler quotes them
// are read back.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/compile/depfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

// Backslashes before a blank, and those at the end, are doubled: what follows is a blank too.
static void name_quote(struct strbuf *out, const char *name) {
    for (size_t run; *name; name += run) {
        run = strspn(name, "\\");
        const char next = name[run];
        const size_t copies = next == ' ' || next == '\t' || !next ? 2 * run : run;
        for (size_t i = 0; i < copies; ++i) strbuf_add_char(out, '\\');
        if (!next) return;
        if (next == ' ' || next == '\t' || next == '#') strbuf_add_char(out, '\\');
        if (next == '$') strbuf_add_char(out, '$');
        strbuf_add_char(out, next);
        ++run;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char *text = malloc(count + 1);
    if (!text) return 0;
    if (count) memcpy(text, bytes, count);
    text[count] = 0;
    struct arena arena = {0};
    struct strbuf again = {0};
    struct depfile depfile = {.at = text};
    strbuf_addf(&again, "k.o :");
    for (const char *name; (name = depfile_next(&depfile, &arena));) {
        if (!*name) abort();
        strbuf_add_char(&again, ' ');
        name_quote(&again, name);
    }
    strbuf_addf(&again, " \n"); // a name may end with a carriage return
    depfile = (struct depfile){.at = text};
    struct depfile second = {.at = strbuf_text(&again)};
    for (const char *name; (name = depfile_next(&depfile, &arena));) {
        const char *other = depfile_next(&second, &arena);
        if (!other || strcmp(name, other) != 0) abort();
    }
    if (depfile_next(&second, &arena)) abort();
    strbuf_fini(&again);
    arena_fini(&arena);
    free(text);
    return 0;
}
