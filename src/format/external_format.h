// SPDX-License-Identifier: Apache-2.0
//
// Shared by the readers of other tools' files: a result with one side, cases that only have a name, times as
// integers. Their texts are shown in terminals: control characters in names and messages become '?'.
#ifndef FORMAT_EXTERNAL_FORMAT_H
#define FORMAT_EXTERNAL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "record/result.h"

#define EXTERNAL_TIMES_MAX ((size_t)1 << 20) // of a benchmark

// An empty result of one side; result_fini() it.
void external_begin(const char *format_name, struct result *ret);
// Room for all cases, before the first one. ERR_DATA: more than RESULT_CASES_MAX.
int external_reserve(const char *where, size_t case_max, struct result *result, struct err *err);

// A name that is too long for a problem, or has control characters, is cut or cleaned, and gets "~" and 16
// hex digits of its hash, so that different names stay different.
void external_name(const char *name, char ret[PROBLEM_NAME_BYTES]);
// A new case of that name with one round for its samples; room for sample_max of them, none added.
struct result_case *external_case_add(struct result *result, const char *name, size_t sample_max);

// Adds a sample to the case's round. time_ns: of one launch; launches: as the tool counted them, else 1. The
// result holds whole nanoseconds of all launches together, so launches are raised until rounding is below one
// millionth (and lowered if the sum would overflow). False: the time is not finite, not positive, or absurdly
// long.
bool external_sample_add(struct result_case *item, double time_ns, uint64_t launches, double clock_hz);

// The same of a mean over so many iterations; a sample that is none refuses the case with these words.
void external_mean_add(struct result_case *item, double time_ns, double iterations, const char *words);

// A new case of that name whose samples are the times of an array, of a launch each and in units of unit_ns.
// A time that is none makes the case not comparable. ERR_DATA: more than EXTERNAL_TIMES_MAX.
int external_times_add(struct result *result, const char *where, const char *name, const json_t *times,
                       double unit_ns, struct err *err);
// A new case that has one figure and no samples: shown, and not comparable.
void external_summary_add(struct result *result, const char *name, double time_ns);

// Marks the case as not comparable, with a reason; the first reason stands. words live in the result's arena.
void external_case_refuse(struct result_case *item, enum reason reason, const char *words);
// For a case that the tool itself skipped: outcome UNSUPPORTED with the tool's message (NULL: none).
void external_case_skip(struct result_case *item, const char *message);

// A text of the document, for display: cleaned and cut to 512 bytes, in the arena; NULL stays NULL.
const char *external_text(struct arena *arena, const char *text);

// What the document says of its machine, which both files must agree on. NULL or "": nothing.
void external_machine_set(struct result *result, const char *stated);

// Reads a whole document: parse is called for each item of the array `key`, or once for the root (key NULL;
// then it reserves room, if it adds more than one case).
struct format_source;
int external_read(const char *format_name, const struct format_source *source, const char *key,
                  int (*parse)(const struct json_at *at, struct result *result, struct err *err),
                  struct result *ret, struct err *err);

// Finishes the result. ERR_DATA: two cases have the same name.
int external_end(const char *where, const struct result *result, struct err *err);

#endif
