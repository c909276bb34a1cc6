// SPDX-License-Identifier: Apache-2.0
//
// Errors as values. A function that can fail returns 0 or a negative code and fills a struct err with one
// sentence for the user: what failed, on which object, why, and what to try. Only control/cmd/ prints
// it and turns it into an exit code. A wrong kernel is not an error: see record/outcome.h.
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>

// Each code has one sysexits value (err_exit_code); messages never repeat the code.
enum err_code {
    ERR_NONE = 0,
    ERR_USAGE,       // 64 unknown option, kernel, suite, problem; a filter that matches nothing
    ERR_DATA,        // 65 a malformed document or library
    ERR_NO_INPUT,    // 66 no such file
    ERR_UNAVAILABLE, // 69 no device, tool or permission
    ERR_INTERNAL,    // 70 a broken invariant of assay
    ERR_CREATE,      // 73 cannot create a file or folder
    ERR_IO,          // 74 write or read failed, disk full
    ERR_CONFIG,      // 78 bad manifest
    ERR_BUILD,       // the compiler failed: the caller decides between 1 (candidate) and 3 (baseline)
    ERR_CANCELLED,   // interrupted by the user: 130
    ERR_BUSY,        // 75 somebody else has it, and nobody wants to wait: try again later
    ERR_COUNT
};

struct err {
    enum err_code code;
    // One plain line (base/plain_text.h), then those of err_add_lines. Cut after a whole character.
    char text[4096];
};

// Fills *err (may be NULL) and returns -code. The message is one sentence without a final period: "cannot
// open 'x': No such file or directory; check the path". Whatever it quotes, it is one line and plain.
int err_set(struct err *err, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// As err_set, appending ": <strerror(errno)>".
int err_set_errno(struct err *err, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Puts "prefix: " before the sentence already there (context on the way up); returns -err->code.
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Adds lines below the sentence, each made plain: the end of a build log, a list of names. Returns
// -err->code.
int err_add_lines(struct err *err, const char *lines);

// The sysexits value of a code: 0 for ERR_NONE, 1 for ERR_BUILD.
int err_exit_code(enum err_code code);

// Reports a broken invariant: prints file:line and aborts (control's handler makes that exit code 70).
_Noreturn void bug_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

// Returns from the calling function when call is negative.
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        int try_code_ = (call);                                                                              \
        if (try_code_ < 0) return try_code_;                                                                 \
    } while (0)

#endif
