// SPDX-License-Identifier: Apache-2.0
//
// Foreign text (a kernel's words, a file's names, a compiler's output) in a form that is shown and never
// obeyed: one line without controls, and without the marks by which the logs of CI systems know commands.
#ifndef BASE_PLAIN_TEXT_H
#define BASE_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// A walk over a text. What comes out, piece by piece:
//   hidden characters (base/utf8.h) as escapes: \x1b, \n, \u202e, \U000e0041; a tab as a blank
//   bytes that are no UTF-8 as U+FFFD
//   "::" at the start (blanks do not count) as "\x3a:": it begins a command in the log of a workflow
//   "##[" and "##" before a letter, anywhere, as "\x23#": so do these
//   without has_utf8: what is not ASCII as '?'
// To make a text plain twice changes nothing.
struct plain_text {
    const char *at, *end;
    bool has_utf8;
    bool has_begun; // something other than blanks came out
    char piece[16];
};

// text ends with a zero, at `length` or after it; a character that `length` cuts is shown whole.
struct plain_text plain_text_make(const char *text, size_t length, bool has_utf8);
// The next piece, valid until the next call; NULL at the end.
const char *plain_text_next(struct plain_text *text);

#endif
