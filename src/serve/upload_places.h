// SPDX-License-Identifier: Apache-2.0
//
// Room for uploads that come in: what is packed is in memory. An upload waits until those before it leave
// enough; its bytes stay with its client meanwhile.
#ifndef SERVE_UPLOAD_PLACES_H
#define SERVE_UPLOAD_PLACES_H

#include <stdbool.h>
#include <stddef.h>

struct upload_places;
struct upload_place {
    size_t bytes;                                // that it needs, at most all there are
    void (*on_turn)(struct upload_place *place); // it has its place, or gets none any more
    void *arg;
    bool is_taken;
    struct upload_place *next; // that waits
};

struct upload_places *upload_places_new(size_t bytes_max);
void upload_places_free(struct upload_places *places); // nobody waits
// Calls on_turn, now or later, from whatever thread gives something back.
void upload_places_take(struct upload_places *places, struct upload_place *place);
void upload_places_give(struct upload_places *places, struct upload_place *place); // after its turn
// Who waits, or comes later, gets none.
void upload_places_close(struct upload_places *places);

#endif
