// SPDX-License-Identifier: Apache-2.0
//
// Errors as one sentence and a code, and the exit code of each. Printing is left to control/cmd/.
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/str.h"

// Adds one line, made plain: a sentence may quote a kernel, a file or another tool. Cut after a whole piece.
static void add_plain(struct err *err, const char *text, size_t text_length) {
    struct plain_text plain = plain_text_make(text, text_length, true);
    size_t length = strlen(err->text);
    for (const char *piece; (piece = plain_text_next(&plain));) {
        const size_t piece_length = strlen(piece);
        if (length + piece_length >= sizeof err->text) break;
        memcpy(err->text + length, piece, piece_length + 1);
        length += piece_length;
    }
}

// Formatted in memory of its own: callers may pass err->text itself as an argument, and frames stay small.
static void set_plain(struct err *err, const char *format, va_list args) {
    char *text;
    if (vasprintf(&text, format, args) < 0) text = NULL; // no memory: the bare format is better than nothing
    const char *shown = text ? text : format;
    err->text[0] = 0;
    add_plain(err, shown, strlen(shown));
    free(text);
}

static int err_set_v(struct err *err, enum err_code code, const char *format, va_list args) {
    if (err) {
        set_plain(err, format, args);
        err->code = code;
    }
    return -(int)code;
}

int err_set(struct err *err, enum err_code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = err_set_v(err, code, format, args);
    va_end(args);
    return result;
}

int err_set_errno(struct err *err, enum err_code code, const char *format, ...) {
    const int saved_errno = errno;
    va_list args;
    va_start(args, format);
    int result = err_set_v(err, code, format, args);
    va_end(args);
    if (err) {
        size_t length = strlen(err->text);
        snprintf(err->text + length, sizeof err->text - length, ": %s", strerror(saved_errno));
    }
    return result;
}

int err_prefix(struct err *err, const char *format, ...) {
    if (!err) return -(int)ERR_INTERNAL;
    char kept[sizeof err->text];
    memcpy(kept, err->text, sizeof kept);
    va_list args;
    va_start(args, format);
    set_plain(err, format, args);
    va_end(args);
    const char *parts[] = {": ", kept}; // what was there is plain already, and may hold lines
    size_t length = strlen(err->text);
    for (size_t i = 0; i < 2; ++i) {
        const size_t part_length = str_fitting(parts[i], sizeof err->text - 1 - length);
        memcpy(err->text + length, parts[i], part_length);
        length += part_length;
    }
    err->text[length] = 0;
    return -(int)err->code;
}

int err_add_lines(struct err *err, const char *lines) {
    if (!err) return -(int)ERR_INTERNAL;
    for (size_t length; *lines; lines += length + (lines[length] != 0)) {
        const size_t used = strlen(err->text);
        length = strcspn(lines, "\n");
        if (used + 1 < sizeof err->text) memcpy(err->text + used, "\n", 2);
        add_plain(err, lines, length);
    }
    return -(int)err->code;
}

int err_exit_code(enum err_code code) {
    switch (code) {
    case ERR_NONE: return 0;
    case ERR_USAGE: return 64;
    case ERR_DATA: return 65;
    case ERR_NO_INPUT: return 66;
    case ERR_UNAVAILABLE: return 69;
    case ERR_INTERNAL: return 70;
    case ERR_CREATE: return 73;
    case ERR_IO: return 74;
    case ERR_CONFIG: return 78;
    case ERR_BUILD: return 1;
    case ERR_CANCELLED: return 130;
    case ERR_BUSY: return 75;
    case ERR_COUNT: break;
    }
    return 70;
}

void bug_at(const char *file, int line, const char *format, ...) {
    fprintf(stderr, "assay: internal error at %s:%d: ", file, line);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("; please report this\n", stderr);
    abort();
}
