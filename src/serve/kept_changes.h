// SPDX-License-Identifier: Apache-2.0
//
// The change points of the store (store_changes.h), kept between requests: they are found once, and again
// where the store has other runs.
#ifndef SERVE_KEPT_CHANGES_H
#define SERVE_KEPT_CHANGES_H

#include "store/store_changes.h"

struct kept_changes;

struct kept_changes *kept_changes_new(void);
void kept_changes_free(struct kept_changes *kept); // accepts NULL; nobody uses them
// Those of the store as it is now; while another thread finds these out, those that were found before, so
// that only the first requests of a server wait for each other. Give them back.
int kept_changes_take(struct kept_changes *kept, struct store *store, const struct store_changes **ret,
                      struct err *err);
void kept_changes_give(struct kept_changes *kept, const struct store_changes *changes);

#endif
