// SPDX-License-Identifier: Apache-2.0
//
// The journal of a run: record lines, appended and fsynced one by one, so that a kill at any moment loses the
// case in flight at most. Reading drops a torn last line and a damaged last group of lines (after a loss of
// power a block of what was not synced may be missing); any other line that does not parse is an error with
// its number.
#ifndef CONTROL_EXEC_JOURNAL_H
#define CONTROL_EXEC_JOURNAL_H

#include "base/err.h"
#include "record/record.h"

struct journal;

// Appends; creates the file; truncates a torn line.
int journal_open(const char *path, struct journal **ret, struct err *err);
int journal_add(struct journal *journal, const struct record *record, struct err *err);
// Without fsync: for records that need not survive alone, and for groups that end with a journal_add.
int journal_add_later(struct journal *journal, const struct record *record, struct err *err);
void journal_close(struct journal *journal); // accepts NULL

typedef int (*journal_fn)(void *arg, const struct record *record, struct err *err);
// A missing file is empty; a damaged end is replaced by a warning in the file, which is handed on too.
int journal_replay(const char *path, journal_fn on_record, void *arg, struct err *err);

#endif
