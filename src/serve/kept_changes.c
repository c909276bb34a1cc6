// SPDX-License-Identifier: Apache-2.0
//
// See kept_changes.h.
#include "serve/kept_changes.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

// What was found once, for as long as somebody uses it.
struct kept {
    struct store_changes *changes;
    int user_count; // and one more for the newest
    struct kept *next;
};

struct kept_changes {
    pthread_mutex_t finding; // of who looks into the store
    pthread_mutex_t lock;    // of the rest
    struct kept *newest;     // the others behind it; NULL: nothing was found yet
};

struct kept_changes *kept_changes_new(void) {
    struct kept_changes *kept = mem_alloc(sizeof *kept);
    pthread_mutex_init(&kept->finding, NULL);
    pthread_mutex_init(&kept->lock, NULL);
    return kept;
}

// With the lock.
static void release(struct kept_changes *kept, const struct store_changes *changes) {
    struct kept **at = &kept->newest;
    while (*at && (*at)->changes != changes) at = &(*at)->next;
    struct kept *one = *at;
    if (!one || --one->user_count) return;
    *at = one->next;
    store_changes_free(one->changes);
    free(one);
}

void kept_changes_free(struct kept_changes *kept) {
    if (!kept) return;
    while (kept->newest) release(kept, kept->newest->changes);
    pthread_mutex_destroy(&kept->finding);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

void kept_changes_give(struct kept_changes *kept, const struct store_changes *changes) {
    if (!changes) return;
    pthread_mutex_lock(&kept->lock);
    release(kept, changes);
    pthread_mutex_unlock(&kept->lock);
}

// NULL: nothing was found yet.
static const struct store_changes *take_newest(struct kept_changes *kept) {
    pthread_mutex_lock(&kept->lock);
    struct kept *newest = kept->newest;
    if (newest) ++newest->user_count;
    pthread_mutex_unlock(&kept->lock);
    return newest ? newest->changes : NULL;
}

static void keep(struct kept_changes *kept, struct store_changes *changes) {
    struct kept *one = mem_alloc(sizeof *one);
    *one = (struct kept){.changes = changes, .user_count = 1};
    pthread_mutex_lock(&kept->lock);
    struct kept *earlier = kept->newest;
    one->next = earlier;
    kept->newest = one;
    if (earlier) release(kept, earlier->changes);
    pthread_mutex_unlock(&kept->lock);
}

// By one thread at a time.
static int find(struct kept_changes *kept, struct store *store, struct err *err) {
    const struct store_changes *earlier = take_newest(kept);
    struct store_changes *found = NULL;
    const int code = store_changes_find(store, earlier, &found, err);
    if (found) keep(kept, found);
    kept_changes_give(kept, earlier);
    return code;
}

int kept_changes_take(struct kept_changes *kept, struct store *store, const struct store_changes **ret,
                      struct err *err) {
    int code = 0;
    *ret = NULL;
    if (pthread_mutex_trylock(&kept->finding) != 0) {
        *ret = take_newest(kept);
        if (*ret) return 0;
        pthread_mutex_lock(&kept->finding);
    }
    code = find(kept, store, err);
    pthread_mutex_unlock(&kept->finding);
    if (code == 0) *ret = take_newest(kept);
    return code;
}
