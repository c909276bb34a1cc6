// SPDX-License-Identifier: Apache-2.0
//
// See store_pool.h.
#include "serve/store_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/store.h"

enum { IDLE_MAX = 8 };

struct store_pool {
    const char *address;
    pthread_mutex_t lock; // of the rest
    struct store *idle[IDLE_MAX];
    size_t idle_count;
};

struct store_pool *store_pool_new(const char *address) {
    struct store_pool *pool = mem_alloc(sizeof *pool);
    pool->address = address;
    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void store_pool_free(struct store_pool *pool) {
    if (!pool) return;
    for (size_t i = 0; i < pool->idle_count; ++i) store_close(pool->idle[i]);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

int store_pool_take(struct store_pool *pool, struct store **ret, struct err *err) {
    pthread_mutex_lock(&pool->lock);
    struct store *store = pool->idle_count ? pool->idle[--pool->idle_count] : NULL;
    pthread_mutex_unlock(&pool->lock);
    *ret = store;
    if (store) return 0;
    const int code = store_open(pool->address, false, ret, err);
    if (code != -ERR_NO_INPUT) return code;
    const struct err why = *err; // a server without its store serves nothing
    return err_set(err, ERR_UNAVAILABLE, "%s, and so does 'assay serve token add NAME'", why.text);
}

void store_pool_give(struct store_pool *pool, struct store *store, bool is_broken) {
    pthread_mutex_lock(&pool->lock);
    if (store && !is_broken && pool->idle_count < IDLE_MAX) {
        pool->idle[pool->idle_count++] = store;
        store = NULL;
    }
    pthread_mutex_unlock(&pool->lock);
    store_close(store);
}
