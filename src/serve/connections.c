// SPDX-License-Identifier: Apache-2.0
//
// See connections.h.
#include "serve/connections.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/mem.h"

static const uint64_t SECOND_NS = 1000000000u;

struct client {
    uint64_t key;
    bool is_loopback;
    size_t count;   // of its connections that are not ended
    size_t holders; // of its connections
    struct client *next;
};

struct connection {
    int fd;
    struct client *client;
    enum connection_wait wait;
    uint64_t since_ns, moved_ns; // of this wait; of the last bytes
    size_t bytes;                // that came or go in it
    bool is_surplus, is_ended;
    struct connection *next, *previous;
};

struct connections {
    struct connection_limits limits;
    pthread_mutex_t lock; // of the rest
    struct connection *first;
    struct client *clients;
    size_t count; // that are not ended
};

struct connections *connections_new(const struct connection_limits *limits) {
    struct connections *all = mem_alloc(sizeof *all);
    all->limits = *limits;
    pthread_mutex_init(&all->lock, NULL);
    return all;
}

void connections_free(struct connections *all) {
    pthread_mutex_destroy(&all->lock);
    free(all);
}

// ---- clients ----

static uint64_t read_bits(const uint8_t *bytes, size_t count) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) bits = bits << 8 | bytes[i];
    return bits;
}

// An address of IPv4, also where it came through a socket of IPv6, or a network of 64 bits, whose owner has
// all addresses in it.
static struct client client_of(const struct sockaddr *address) {
    enum { V4_BITS = 32, V4_LOOPBACK_SHIFT = 24 };
    const uint64_t v4_mark = UINT64_C(0xffff) << V4_BITS;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    if (address->sa_family == AF_INET6) {
        memcpy(&v6, address, sizeof v6);
        const uint8_t *bytes = v6.sin6_addr.s6_addr;
        if (!IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
            return (struct client){.key = read_bits(bytes, 8),
                                   .is_loopback = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr)};
        memcpy(&v4.sin_addr, bytes + 12, sizeof v4.sin_addr);
    } else {
        memcpy(&v4, address, sizeof v4);
    }
    const uint32_t host = ntohl(v4.sin_addr.s_addr);
    return (struct client){.key = v4_mark | host, .is_loopback = host >> V4_LOOPBACK_SHIFT == IN_LOOPBACKNET};
}

static struct client *find_client(struct connections *all, const struct sockaddr *address) {
    const struct client wanted = client_of(address);
    struct client *one = all->clients;
    while (one && one->key != wanted.key) one = one->next;
    if (one) return one;
    one = mem_alloc(sizeof *one);
    *one = wanted;
    one->next = all->clients;
    all->clients = one;
    return one;
}

static void leave_client(struct connections *all, struct client *client) {
    if (--client->holders) return;
    struct client **at = &all->clients;
    while (*at != client) at = &(*at)->next;
    *at = client->next;
    free(client);
}

// ---- which one goes ----

static bool is_slow(const struct connection *one, uint64_t now_ns) {
    const double bytes = (double)(now_ns - one->since_ns) * CONNECTION_SLOW_BYTES / (double)SECOND_NS;
    return bytes > (double)one->bytes + CONNECTION_SLOW_BYTES; // a second to begin
}

static bool can_go(const struct connection *one, uint64_t now_ns) {
    if (one->is_ended || one->wait == CONNECTION_SERVER) return false;
    return one->wait < CONNECTION_BODY || is_slow(one, now_ns);
}

static bool goes_before(const struct connection *one, const struct connection *other) {
    if (one->client->count != other->client->count) return one->client->count > other->client->count;
    if (one->wait != other->wait) return one->wait < other->wait;
    return one->since_ns < other->since_ns;
}

// It leaves the list when the carrier sees its end.
static void end(struct connections *all, struct connection *one) {
    if (one->is_ended) return;
    one->is_ended = true;
    --one->client->count;
    --all->count;
    shutdown(one->fd, SHUT_RDWR);
}

// client: NULL: of any one.
static bool make_room(struct connections *all, const struct connection *added, const struct client *client,
                      uint64_t now_ns) {
    struct connection *last = NULL;
    for (struct connection *one = all->first; one; one = one->next) {
        if (one == added || (client && one->client != client) || !can_go(one, now_ns)) continue;
        if (!last || goes_before(one, last)) last = one;
    }
    if (last) end(all, last);
    return last != NULL;
}

static bool is_over(const struct connections *all, const struct client *client) {
    const struct connection_limits *limits = &all->limits;
    return limits->client_max && client->count > limits->client_max &&
           (limits->has_loopback || !client->is_loopback);
}

// ---- the list ----

struct connection *connections_add(struct connections *all, int fd, const struct sockaddr *client,
                                   uint64_t now_ns) {
    struct connection *one = mem_alloc(sizeof *one);
    *one =
        (struct connection){.fd = fd, .wait = CONNECTION_FIRST_HEAD, .since_ns = now_ns, .moved_ns = now_ns};
    pthread_mutex_lock(&all->lock);
    one->client = find_client(all, client);
    ++one->client->holders;
    ++one->client->count;
    ++all->count;
    one->next = all->first;
    if (one->next) one->next->previous = one;
    all->first = one;
    if (is_over(all, one->client)) one->is_surplus = !make_room(all, one, one->client, now_ns);
    if (all->count > all->limits.count_max) one->is_surplus |= !make_room(all, one, NULL, now_ns);
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
    if (!one->is_ended) --one->client->count;
    if (!one->is_ended) --all->count;
    leave_client(all, one->client);
    pthread_mutex_unlock(&all->lock);
    free(one);
}

bool connections_is_surplus(struct connections *all, const struct connection *one) {
    pthread_mutex_lock(&all->lock);
    const bool is_surplus = one->is_surplus;
    pthread_mutex_unlock(&all->lock);
    return is_surplus;
}

void connections_wait(struct connections *all, struct connection *one, enum connection_wait wait,
                      size_t bytes, uint64_t now_ns) {
    pthread_mutex_lock(&all->lock);
    one->wait = wait;
    one->since_ns = one->moved_ns = now_ns;
    one->bytes = bytes;
    pthread_mutex_unlock(&all->lock);
}

void connections_add_bytes(struct connections *all, struct connection *one, size_t bytes, uint64_t now_ns) {
    pthread_mutex_lock(&all->lock);
    one->bytes += bytes;
    one->moved_ns = now_ns;
    pthread_mutex_unlock(&all->lock);
}

// ---- times ----

static bool is_late(const struct connection_limits *limits, const struct connection *one, uint64_t now_ns) {
    const uint64_t waited_ns = now_ns > one->since_ns ? now_ns - one->since_ns : 0;
    const uint64_t idle_ns = now_ns > one->moved_ns ? now_ns - one->moved_ns : 0;
    switch (one->wait) {
    case CONNECTION_FIRST_HEAD:
    case CONNECTION_NEXT_HEAD: return waited_ns > limits->head_ns;
    case CONNECTION_DROPPED_BODY:
    case CONNECTION_BODY: return waited_ns > limits->body_ns || idle_ns > limits->body_idle_ns;
    case CONNECTION_ANSWER: return waited_ns > limits->answer_ns;
    case CONNECTION_SERVER: return false;
    }
    BUG("a connection that waits for %d", one->wait);
}

void connections_end_late(struct connections *all, uint64_t now_ns) {
    pthread_mutex_lock(&all->lock);
    for (struct connection *one = all->first; one; one = one->next)
        if (is_late(&all->limits, one, now_ns)) end(all, one);
    pthread_mutex_unlock(&all->lock);
}
