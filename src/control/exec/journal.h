// SPDX-License-Identifier: Apache-2.0
//
// The journal of a run: record lines, appended and fsynced one by one, so that a kill at any moment loses the
// case in flight at most. Replaying drops a torn last line and a damaged last group of lines (a loss of power
// may lose any block that was not synced); any other line that does not parse is an error with its number.
#ifndef CONTROL_EXEC_JOURNAL_H
#define CONTROL_EXEC_JOURNAL_H

#include "base/err.h"
#include "record/record.h"

struct journal;

// Opens a journal for appending, or creates it; truncates a torn last line.
int journal_open(const char *path, struct journal **ret, struct err *err);
// Appends one line; it is on disk when this returns.
int journal_add(struct journal *journal, const struct record *record, struct err *err);
// The same without fsync: for records that may be lost, and for groups that end with a journal_add.
int journal_add_later(struct journal *journal, const struct record *record, struct err *err);
void journal_close(struct journal *journal); // accepts NULL

typedef int (*journal_fn)(void *arg, const struct record *record, struct err *err);
// Calls on_record for each line. A missing file has no lines. A damaged end is replaced by a warning in the
// file, which is passed on too.
int journal_replay(const char *path, journal_fn on_record, void *arg, struct err *err);

#endif
