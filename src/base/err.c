// SPDX-License-Identifier: Apache-2.0
//
// Errors as one sentence and a code, and the exit code of each. Printing is left to control/cmd/.
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

// Formats into a separate buffer first, because callers may pass err->text itself as an argument.
static int err_set_v(struct err *err, enum err_code code, const char *format, va_list args) {
    if (err) {
        // one more byte, so that str_fitting sees where the last character ends
        char text[sizeof err->text + 1];
        vsnprintf(text, sizeof text, format, args);
        text[str_fitting(text, sizeof err->text - 1)] = 0;
        memcpy(err->text, text, sizeof err->text);
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
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    int printed = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t length = printed < 0 ? 0 : (size_t)printed;
    if (length > sizeof text - 1) length = sizeof text - 1;
    const char *parts[] = {": ", err->text};
    for (size_t i = 0; i < 2; ++i) {
        size_t part_length = str_fitting(parts[i], sizeof text - 1 - length);
        memcpy(text + length, parts[i], part_length);
        length += part_length;
    }
    text[length] = 0;
    memcpy(err->text, text, sizeof text);
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
