// SPDX-License-Identifier: Apache-2.0
//
// The open connections, and which of them take too long: a request must be complete, and its answer taken,
// within a time. libmicrohttpd ends a connection on which nothing moves; one that sends a byte now and then
// is ended here.
#ifndef SERVE_CONNECTIONS_H
#define SERVE_CONNECTIONS_H

#include <stdint.h>

struct connections;
struct connection;

struct connections *connections_new(uint64_t limit_ns);
void connections_free(struct connections *all); // none is open
struct connection *connections_add(struct connections *all, int fd);
void connections_remove(struct connections *all, struct connection *one); // before its descriptor is closed
void connections_touch(struct connections *all, struct connection *one);  // its time begins anew
void connections_end_slow(struct connections *all);

#endif
