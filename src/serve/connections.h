// SPDX-License-Identifier: Apache-2.0
//
// The open connections: whom each waits for, since when, and which of them goes when there are too many. One
// that waits for this server is never ended. One that waits for its client has a time for each part, whatever
// drips in; and where there is no room for a new one, the client that holds most loses the one that has
// waited longest. So connections that drip shut out nobody, even from the address of those who do not.
#ifndef SERVE_CONNECTIONS_H
#define SERVE_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sockaddr;
struct connections;
struct connection;

struct connection_limits {
    size_t count_max;
    size_t client_max; // of one client; 0: any
    bool has_loopback; // client_max counts for this machine's own addresses, too
    uint64_t head_ns;  // for a whole head, from its connection or the last answer
    uint64_t body_ns, body_idle_ns;
    uint64_t answer_ns; // until an answer is taken
};

// What a connection waits for. Where there is no room, these go in this order, each from the longest wait.
enum connection_wait {
    CONNECTION_FIRST_HEAD = 1,
    CONNECTION_DROPPED_BODY, // of a refused request
    CONNECTION_NEXT_HEAD,
    CONNECTION_BODY,   // these two while they are slower than CONNECTION_SLOW_BYTES a second
    CONNECTION_ANSWER, // being taken
    CONNECTION_SERVER, // never
};
enum { CONNECTION_SLOW_BYTES = 1 << 20 };

struct connections *connections_new(const struct connection_limits *limits);
void connections_free(struct connections *all); // none is open
// client: its address; those of IPv6 are one client for a network of 64 bits. Ends another one where there is
// no room.
struct connection *connections_add(struct connections *all, int fd, const struct sockaddr *client,
                                   uint64_t now_ns);
void connections_remove(struct connections *all, struct connection *one); // before its descriptor is closed
// Whether it came where there was no room, and no other one could be ended: it is to be refused.
bool connections_is_surplus(struct connections *all, const struct connection *one);
// bytes: of an answer, 0 of others.
void connections_wait(struct connections *all, struct connection *one, enum connection_wait wait,
                      size_t bytes, uint64_t now_ns);
void connections_add_bytes(struct connections *all, struct connection *one, size_t bytes, uint64_t now_ns);
void connections_end_late(struct connections *all, uint64_t now_ns); // to be called a few times a second

#endif
