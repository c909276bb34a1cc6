// SPDX-License-Identifier: Apache-2.0
//
// See kept_changes.h.
#include "serve/kept_changes.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
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
    uint64_t longest_ns;     // of the searches so far; 0 after one that failed
    bool is_asked;           // that another thread searches: it has not done so yet
    pthread_cond_t searched;
    uint64_t wait_ns;
    void (*later)(void *arg);
    void *later_arg;
};

struct kept_changes *kept_changes_new(void) {
    struct kept_changes *kept = mem_alloc(sizeof *kept);
    pthread_mutex_init(&kept->finding, NULL);
    pthread_mutex_init(&kept->lock, NULL);
    pthread_cond_init(&kept->searched, NULL);
    return kept;
}

void kept_changes_set_later(struct kept_changes *kept, uint64_t wait_ns, void (*later)(void *arg),
                            void *arg) {
    kept->wait_ns = wait_ns;
    kept->later = later;
    kept->later_arg = arg;
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
    pthread_cond_destroy(&kept->searched);
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
    const uint64_t begin_ns = clock_ns();
    const int code = store_changes_find(store, earlier, &found, err);
    const uint64_t took_ns = clock_ns() - begin_ns;
    pthread_mutex_lock(&kept->lock);
    if (code < 0 || took_ns > kept->longest_ns) kept->longest_ns = code < 0 ? 0 : took_ns;
    pthread_mutex_unlock(&kept->lock);
    if (found) keep(kept, found);
    kept_changes_give(kept, earlier);
    return code;
}

int kept_changes_search(struct kept_changes *kept, struct store *store) {
    struct err err = {0};
    int code = -ERR_UNAVAILABLE;
    pthread_mutex_lock(&kept->finding);
    if (store) code = find(kept, store, &err);
    pthread_mutex_unlock(&kept->finding);
    pthread_mutex_lock(&kept->lock);
    if (!store) kept->longest_ns = 0;
    kept->is_asked = false;
    pthread_cond_broadcast(&kept->searched);
    pthread_mutex_unlock(&kept->lock);
    return code;
}

// With the lock. Nobody is asked twice, so that the other thread's work is one.
static void ask(struct kept_changes *kept) {
    if (kept->is_asked) return;
    kept->is_asked = true;
    kept->later(kept->later_arg);
}

void kept_changes_ask(struct kept_changes *kept) {
    pthread_mutex_lock(&kept->lock);
    ask(kept);
    pthread_mutex_unlock(&kept->lock);
}

// Whether somebody else has been asked to search, and was waited for.
static bool leave_to_another(struct kept_changes *kept) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const uint64_t end_ns = (uint64_t)until.tv_nsec + kept->wait_ns;
    until.tv_sec += (time_t)(end_ns / 1000000000);
    until.tv_nsec = (long)(end_ns % 1000000000);
    pthread_mutex_lock(&kept->lock);
    const bool is_left = kept->later && kept->newest && kept->longest_ns > kept->wait_ns;
    if (is_left) ask(kept);
    while (is_left && kept->is_asked)
        if (pthread_cond_timedwait(&kept->searched, &kept->lock, &until) != 0) break;
    pthread_mutex_unlock(&kept->lock);
    return is_left;
}

int kept_changes_take(struct kept_changes *kept, struct store *store, const struct store_changes **ret,
                      struct err *err) {
    int code = 0;
    *ret = NULL;
    if (leave_to_another(kept)) {
        *ret = take_newest(kept);
        return 0;
    }
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
