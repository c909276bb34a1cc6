// SPDX-License-Identifier: Apache-2.0
//
// What the readers of other tools' files share: a result with one side, cases that only have a name, times as
// integers. Their text ends up in terminals: control characters in names and messages become '?'.
#ifndef CONTROL_FORMAT_EXTERNAL_FORMAT_H
#define CONTROL_FORMAT_EXTERNAL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/result.h"

// An empty result of one side; result_fini() it.
void external_begin(const char *format_name, struct result *ret);
// Room for all cases, before the first one. ERR_DATA: more than RESULT_CASES_MAX.
int external_reserve(const char *where, size_t case_max, struct result *result, struct err *err);

// A name that is longer than a problem's may be, or has control characters, is cut or cleaned and gets "~"
// and 16 hex digits of its hash, so that different names stay different.
void external_name(const char *name, char ret[PROBLEM_NAME_BYTES]);
// A new case of that name with one round for its samples; room for sample_max of them, none added.
struct result_case *external_case_add(struct result *result, const char *name, size_t sample_max);

// Adds a sample to the case's round. time_ns is of one launch; launches as the tool counted them (1 where it
// does not say). Times are whole nanoseconds of all launches together, so launches are raised until rounding
// is below one millionth (and lowered where the sum would not fit). False: not a time that can be held (not
// finite, not positive, absurd).
bool external_sample_add(struct result_case *item, double time_ns, uint64_t launches, double clock_hz);

// The case cannot be compared, and why; the first reason stands. words live in the result's arena.
void external_case_refuse(struct result_case *item, enum reason reason, const char *words);
// The tool itself left it out: outcome UNSUPPORTED with the tool's message (NULL: none).
void external_case_skip(struct result_case *item, const char *message);

// Text of the document for people: cleaned and cut to 512 bytes, in the arena; NULL stays NULL.
const char *external_text(struct arena *arena, const char *text);

// ERR_DATA: two cases of one name.
int external_end(const char *where, const struct result *result, struct err *err);

#endif
