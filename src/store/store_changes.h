// SPDX-License-Identifier: Apache-2.0
//
// The change points of everything in a store (series.h), of one state of it. All results are read for them,
// so a reader that lives longer keeps what was found, and gives it to the next search, which then looks
// again only at problems of runs that are new.
#ifndef STORE_STORE_CHANGES_H
#define STORE_STORE_CHANGES_H

#include "store/series.h"

struct stored_change {
    const char *problem, *side;
    const char *kernel; // of the first result at the new level; NULL: not known
    const struct stored_run *before, *after;
    struct series_change step; // its size; its places are of the search alone
    size_t result_count;       // of this problem, side, device and metric: what its history shows
};

struct store_changes {
    struct arena arena;                // of all that follows
    const struct stored_change *items; // newest first; between the same runs the largest first
    size_t count;
    size_t side_count;                   // problems and sides that were looked at
    const struct stored_change **sorted; // by problem and side, in each the newest first
    struct known_run *runs;              // the oldest first
    size_t run_count;
};

// earlier: what an earlier search found; NULL: nothing is known. *ret: NULL where the store has not changed
// since; else freed by the caller.
int store_changes_find(struct store *store, const struct store_changes *earlier, struct store_changes **ret,
                       struct err *err);
void store_changes_free(struct store_changes *changes); // accepts NULL
// Those of one problem and side, the newest first.
const struct stored_change *const *store_changes_of(const struct store_changes *changes, const char *problem,
                                                    const char *side, size_t *ret_count);

#endif
