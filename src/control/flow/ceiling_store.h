// SPDX-License-Identifier: Apache-2.0
//
// Measured ceilings on disk: <cache folder>/ceilings/<device uuid>-<threads>.json. An entry holds for one
// driver and one power limit: another driver compiles other code, another limit chooses another clock.
#ifndef CONTROL_FLOW_CEILING_STORE_H
#define CONTROL_FLOW_CEILING_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/ceiling.h"

// What a stored entry was measured on.
struct ceiling_key {
    const char *device_uuid, *driver; // driver NULL: not known
    int64_t thread_count;             // of a processor; 0 on a GPU
    double power_limit_w;             // NAN: not known, or the device has none
};

struct ceiling_entry {
    const char *driver;
    double power_limit_w;
    size_t ceiling_count;
    struct ceiling *ceilings;
};

// The entry of the key; one without ceilings if nothing was measured there, or the file is none of this
// version. *ret_others (may be NULL): entries of the same device with another driver or power limit. Texts in
// the arena.
struct ceiling_entry ceiling_store_find(const struct ceiling_key *key, struct arena *arena,
                                        size_t *ret_others);
// Adds ceilings to the entry of the key. A ceiling is the highest value ever measured: a lower one, measured
// while the device was busy, does not replace what is stored.
int ceiling_store_add(const struct ceiling_key *key, const struct ceiling *ceilings, size_t count,
                      struct err *err);

#endif
