// SPDX-License-Identifier: Apache-2.0
//
// See upload_places.h.
#include "serve/upload_places.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

struct upload_places {
    pthread_mutex_t lock; // of the rest
    size_t free_bytes;
    bool is_closed;
    struct upload_place *first, **end; // that wait, in their order
};

struct upload_places *upload_places_new(size_t bytes_max) {
    struct upload_places *places = mem_alloc(sizeof *places);
    pthread_mutex_init(&places->lock, NULL);
    places->free_bytes = bytes_max;
    places->end = &places->first;
    return places;
}

void upload_places_free(struct upload_places *places) {
    pthread_mutex_destroy(&places->lock);
    free(places);
}

// Takes those out of the queue whose turn it is. A large one that waits is not passed by small ones, which
// could let it wait for good.
static struct upload_place *take_next(struct upload_places *places) {
    struct upload_place *turns = places->first, **end = &places->first;
    while (*end && (places->is_closed || (*end)->bytes <= places->free_bytes)) {
        (*end)->is_taken = !places->is_closed;
        if (!places->is_closed) places->free_bytes -= (*end)->bytes;
        end = &(*end)->next;
    }
    if (end == &places->first) return NULL;
    places->first = *end;
    if (!places->first) places->end = &places->first;
    *end = NULL;
    return turns;
}

// Unlocks. Nobody else knows them now; each is gone once it had its turn.
static void call_turns(struct upload_places *places) {
    struct upload_place *turns = take_next(places);
    pthread_mutex_unlock(&places->lock);
    while (turns) {
        struct upload_place *one = turns;
        turns = one->next;
        one->on_turn(one);
    }
}

void upload_places_take(struct upload_places *places, struct upload_place *place) {
    place->next = NULL;
    pthread_mutex_lock(&places->lock);
    *places->end = place;
    places->end = &place->next;
    call_turns(places);
}

void upload_places_give(struct upload_places *places, struct upload_place *place) {
    pthread_mutex_lock(&places->lock);
    if (place->is_taken) places->free_bytes += place->bytes;
    place->is_taken = false;
    call_turns(places);
}

void upload_places_close(struct upload_places *places) {
    pthread_mutex_lock(&places->lock);
    places->is_closed = true;
    call_turns(places);
}
