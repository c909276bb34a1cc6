// SPDX-License-Identifier: Apache-2.0
//
// What else than its preprocessed text decides a module: files that the flags name, and files that the
// assembler reads. Without these a changed file would be answered from the cache with the old module.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "control/compile/tool/build_tool.h"
#include "control/compile/variant_internal.h"

bool key_text_reads_files(const char *text, size_t length) {
    static const char *const words[] = {"incbin", ".include"}; // in inline assembly
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (length && memmem(text, length, words[i], strlen(words[i]))) return true;
    return false;
}

void key_text_add(const char *text, size_t length, struct sha256 *sha) {
    if (length && memmem(text, length, "R\"", 2)) { // a raw string may hold blank lines
        sha256_add(sha, text, length);
        return;
    }
    for (const char *line = text, *end = text + length; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline ? newline + 1 : end;
        if (newline != line) sha256_add(sha, line, (size_t)(next - line));
        line = next;
    }
}

bool key_flags_keep_lines(const struct manifest_kernel *kernel) {
    static const char *const words[] = {
        "-g", "-lineinfo", "--generate-line-info", "-G", "--device-debug", "--debug", "-fsanitize"};
    for (size_t i = 0; i < kernel->flag_count; ++i) {
        const char *flag = kernel->flags[i];
        for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
            if (str_starts(flag, words[k]) && !str_equal(flag, "-g0")) return true;
    }
    return false;
}

// Adds the file that `name` is, if it is one. A folder of the repository may hold libraries, which are not
// known.
static int named_add(struct variant_job *job, const char *name, struct sha256 *sha, struct err *err) {
    char *path = path_join(job->request->dir, name), hex[SHA256_HEX_BYTES];
    int result = 0;
    if (file_is_dir(path)) {
        job->has_unknown_inputs |= *name != '/';
    } else if (file_exists(path)) {
        result = sha256_file_hex(path, hex, err);
        if (result == 0) sha256_add_text(sha, hex);
    }
    free(path);
    return result;
}

// Headers are in the preprocessed text.
static bool names_headers(const struct manifest_kernel *kernel, size_t index) {
    static const char *const words[] = {"-I", "-isystem", "-iquote", "-idirafter"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (index > 0 && str_equal(kernel->flags[index - 1], words[i])) return true;
    return str_starts(kernel->flags[index], "-I");
}

// Macros, and what debug information is to say in place of a folder: no file is read by it.
static bool holds_text(const struct manifest_kernel *kernel, size_t index) {
    static const char *const words[] = {"-D", "-U", "--define-macro", "--undefine-macro"};
    const char *flag = kernel->flags[index];
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (str_starts(flag, words[i]) || (index > 0 && str_equal(kernel->flags[index - 1], words[i])))
            return true;
    return str_starts(flag, "-f") && strstr(flag, "-prefix-map=");
}

void flag_paths_add(const struct manifest_kernel *kernel, size_t index, struct arena *arena,
                    const char ***words, size_t *count) {
    if (holds_text(kernel, index)) return;
    // "a.o", "@list", "-Lfolder", "-specs=file", "-Wl,--version-script=file": pieces between these marks
    for (const char *at = kernel->flags[index];; ++at) {
        const size_t length = strcspn(at, ",=@");
        const char *piece = arena_strndup(arena, at, length);
        if (length) words_add(arena, words, count, piece);
        if (piece[0] == '-' && length > 2) words_add(arena, words, count, piece + 2);
        at += length;
        if (!*at) return;
    }
}

int key_flags_add(struct variant_job *job, struct arena *arena, struct sha256 *sha, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    for (size_t i = 0; i < kernel->flag_count; ++i) {
        if (names_headers(kernel, i)) continue;
        const char **paths = NULL;
        size_t count = 0;
        flag_paths_add(kernel, i, arena, &paths, &count);
        for (size_t k = 0; k < count; ++k)
            if (named_add(job, paths[k], sha, err) < 0)
                return err_prefix(err, "kernel '%s': flag '%s'", kernel->name, kernel->flags[i]);
    }
    return 0;
}
