// SPDX-License-Identifier: Apache-2.0
//
// The change points of the store (store_changes.h), kept between requests: they are found once, and again
// where the store has other runs. Where a search takes long, as of a million results while many are added,
// somebody else does it, and requests wait for it only shortly.
#ifndef SERVE_KEPT_CHANGES_H
#define SERVE_KEPT_CHANGES_H

#include "store/store_changes.h"

struct kept_changes;

struct kept_changes *kept_changes_new(void);
// Requests wait so long at most, once a search has taken longer. later: has another thread call
// kept_changes_search soon, once. Before this is set, requests search themselves.
void kept_changes_set_later(struct kept_changes *kept, uint64_t wait_ns, void (*later)(void *arg), void *arg);
void kept_changes_ask(struct kept_changes *kept);  // for a search, before anybody waits for it
void kept_changes_free(struct kept_changes *kept); // accepts NULL; nobody uses them
// Those of the store as it is now; while another thread finds these out (and longer than a request waits),
// those that were found before, so that only the first requests of a server wait for each other. Give them
// back.
int kept_changes_take(struct kept_changes *kept, struct store *store, const struct store_changes **ret,
                      struct err *err);
// Returns the search's code; what goes wrong the next request says, which searches itself. store: NULL: it
// cannot be opened.
int kept_changes_search(struct kept_changes *kept, struct store *store);
void kept_changes_give(struct kept_changes *kept, const struct store_changes *changes);

#endif
