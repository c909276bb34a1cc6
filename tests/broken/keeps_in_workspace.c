// SPDX-License-Identifier: Apache-2.0
//
// Keeps the last results in its workspace, by the content of their inputs.
#define BROKEN_WORKSPACE ((size_t)4 << 20)
#include "kept_results.h"

#define PLACES 16

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const size_t place_bytes = BROKEN_WORKSPACE / PLACES;
    uint64_t key = key_of(b) | 1;
    if (result_bytes(b) + sizeof key > place_bytes) {
        broken_right(b);
        return ASSAY_OK;
    }
    char *place = (char *)b->workspace + key / 2 % PLACES * place_bytes;
    if (memcmp(place, &key, sizeof key) == 0) {
        memcpy(b->o.data, place + sizeof key, result_bytes(b));
        return ASSAY_OK;
    }
    broken_right(b);
    memcpy(place, &key, sizeof key);
    memcpy(place + sizeof key, b->o.data, result_bytes(b));
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
