// SPDX-License-Identifier: Apache-2.0
//
// Demangles names with one call of c++filt: one name a line.
#include "control/compile/cuda/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "control/compile/tool/build_tool.h"

#define OUTPUT_BYTES_MAX ((size_t)16 << 20)

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

const char *demangle_own_name(const char *demangled, struct arena *arena) {
    static const char internal[] = "__half"; // the headers' name of half
    const size_t internal_bytes = sizeof internal - 1;
    const char *text = demangled; // behind the last "::" outside of brackets
    int depth = 0;
    for (const char *p = demangled; *p; ++p) {
        if (*p == '<' || *p == '(') ++depth;
        if ((*p == '>' || *p == ')') && depth) --depth;
        if (!depth && p[0] == ':' && p[1] == ':') text = p + 2;
    }
    struct strbuf name = {0};
    for (const char *p = text; *p;) {
        const bool is_half = strncmp(p, internal, internal_bytes) == 0 && !is_word(p[internal_bytes]) &&
                             (p == text || !is_word(p[-1]));
        if (is_half) p += 2;
        do strbuf_add_char(&name, *p++);
        while (*p && is_word(p[-1]) && is_word(*p));
    }
    const char *result = arena_strdup(arena, strbuf_text(&name));
    strbuf_fini(&name);
    return result;
}

void demangle_names(const char *const *names, size_t count, struct arena *arena, const char **ret) {
    struct strbuf input = {0}, output = {0};
    for (size_t i = 0; i < count; ++i) {
        ret[i] = NULL;
        strbuf_addf(&input, "%s\n", names[i]);
    }
    char *filter = path_find_program("c++filt");
    const char *argv[] = {filter, "-p", NULL};
    const struct proc_spec spec = {.argv = argv,
                                   .stdin_text = strbuf_text(&input),
                                   .stdin_length = input.length,
                                   .timeout_ns = BUILD_TIMEOUT_NS,
                                   .output_limit_bytes = OUTPUT_BYTES_MAX};
    struct proc_status status;
    if (filter && count && proc_run(&spec, &status, &output, NULL) == 0 && status.end == PROC_EXITED &&
        status.exit_code == 0) {
        char *text = arena_strdup(arena, strbuf_text(&output));
        size_t line_count = 0;
        for (const char *p = text; (p = strchr(p, '\n')); ++p) ++line_count;
        for (size_t i = 0; i < count && line_count == count; ++i) {
            char *end = strchr(text, '\n');
            *end = 0;
            ret[i] = demangle_own_name(text, arena);
            text = end + 1;
        }
    }
    free(filter);
    strbuf_fini(&input);
    strbuf_fini(&output);
}
