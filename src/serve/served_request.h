// SPDX-License-Identifier: Apache-2.0
//
// One request of HTTP, from its head to its answer. The thread that carries all connections calls it whenever
// the client sent something; what may take time is done in a lane (lanes.h), while the connection waits.
#ifndef SERVE_SERVED_REQUEST_H
#define SERVE_SERVED_REQUEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "serve/connections.h"
#include "serve/http_settings.h"
#include "serve/lanes.h"
#include "serve/serve_call.h"
#include "serve/upload_places.h"

struct MHD_Connection;

// What all requests share.
struct served_shared {
    struct http_settings settings;
    char name[64]; // the server's address in requests: "127.0.0.2", "[::1]"
    bool is_loopback;
    struct serve serve;
    struct connections *connections;
    struct upload_places *places;
    struct lanes *lanes;
    struct lane_work search;  // for the change points
    atomic_int request_count; // that are going on
};

struct served_request;

struct served_request *served_request_new(struct served_shared *shared, const char *text); // text: its target
void served_request_free(struct served_request *request);
// What libmicrohttpd's access handler is called with. False: the connection must be closed.
bool served_request_advance(struct served_request *request, struct MHD_Connection *connection,
                            const char *method, const char *bytes, size_t *byte_count);
// Where the connection is in the list of all.
struct connection *served_connection(struct MHD_Connection *connection);
// What uploads that come in at the same time may need, where one has at most so many bytes.
size_t served_upload_room(size_t upload_bytes_max);

#endif
