// SPDX-License-Identifier: Apache-2.0
//
// Which branches, devices and suites there are runs of: what a reader can filter by.
#ifndef STORE_STORE_FACETS_H
#define STORE_STORE_FACETS_H

#include "store/store.h"

enum store_facet_kind { STORE_FACET_BRANCH = 0, STORE_FACET_DEVICE, STORE_FACET_SUITE, STORE_FACET_COUNT };

struct store_facet {
    const char *value; // branch, suite, or the device's UUID (NULL: not known)
    const char *name;  // of a device; else NULL
};

// By value. Texts live in the arena.
int store_list_facets(struct store *store, enum store_facet_kind kind, struct arena *arena,
                      struct store_facet **ret, size_t *ret_count, struct err *err);

#endif
