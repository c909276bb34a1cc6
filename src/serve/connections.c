// SPDX-License-Identifier: Apache-2.0
//
// See connections.h.
#include "serve/connections.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"

struct connection {
    int fd;
    uint64_t since_ns;
    struct connection *next, *previous;
};

struct connections {
    uint64_t limit_ns;
    pthread_mutex_t lock; // of the list and all in it
    struct connection *first;
};

struct connections *connections_new(uint64_t limit_ns) {
    struct connections *all = mem_alloc(sizeof *all);
    all->limit_ns = limit_ns;
    pthread_mutex_init(&all->lock, NULL);
    return all;
}

void connections_free(struct connections *all) {
    pthread_mutex_destroy(&all->lock);
    free(all);
}

struct connection *connections_add(struct connections *all, int fd) {
    struct connection *one = mem_alloc(sizeof *one);
    one->fd = fd;
    one->since_ns = clock_ns();
    pthread_mutex_lock(&all->lock);
    one->next = all->first;
    if (one->next) one->next->previous = one;
    all->first = one;
    pthread_mutex_unlock(&all->lock);
    return one;
}

void connections_remove(struct connections *all, struct connection *one) {
    pthread_mutex_lock(&all->lock);
    if (one->next) one->next->previous = one->previous;
    if (one->previous)
        one->previous->next = one->next;
    else
        all->first = one->next;
    pthread_mutex_unlock(&all->lock);
    free(one);
}

void connections_touch(struct connections *all, struct connection *one) {
    pthread_mutex_lock(&all->lock);
    one->since_ns = clock_ns();
    pthread_mutex_unlock(&all->lock);
}

void connections_end_slow(struct connections *all) {
    const uint64_t now_ns = clock_ns();
    pthread_mutex_lock(&all->lock);
    for (struct connection *one = all->first; one; one = one->next)
        if (now_ns > one->since_ns && now_ns - one->since_ns > all->limit_ns) shutdown(one->fd, SHUT_RDWR);
    pthread_mutex_unlock(&all->lock);
}
