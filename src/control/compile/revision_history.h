// SPDX-License-Identifier: Apache-2.0
//
// The commits between two revisions of the user's repository, for a search among them.
#ifndef CONTROL_COMPILE_REVISION_HISTORY_H
#define CONTROL_COMPILE_REVISION_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

#define REVISION_HISTORY_MAX 4096 // commits

struct revision_commit {
    const char *id, *author, *date, *subject; // id: 40 digits or more; date: 2026-11-21
    size_t parent_count;
    size_t *parents; // places in the list, all before this one; parents outside the range are left out
};

struct revision_history {
    const char *good;    // the full id
    size_t commit_count; // oldest first; the last is the bad end
    struct revision_commit *commits;
};

struct revision_range {
    const char *good, *bad; // names of revisions
    bool has_all_commits;   // also those of branches that were merged; else first parents only
};

// "GOOD..BAD"; without BAD, HEAD. ERR_USAGE.
int revision_range_parse(const char *text, struct arena *arena, struct revision_range *ret, struct err *err);
// Everything lies in the arena. dir: a folder in the repository. ERR_USAGE: an unknown revision, GOOD is no
// ancestor of BAD, nothing between them, or too much. ERR_UNAVAILABLE: no git, no repository.
int revision_history_read(const char *dir, const struct revision_range *range, struct arena *arena,
                          struct revision_history *ret, struct err *err);

#endif
