// SPDX-License-Identifier: Apache-2.0
//
// Carries requests and answers over HTTP (libmicrohttpd). It looks at what HTTP has: the host, the token, the
// size of a body, the time a client takes; what is asked for is the business of routes.c. One thread carries
// all connections and never waits; lanes.h has those that do.
#ifndef SERVE_HTTP_SERVER_H
#define SERVE_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "serve/http_settings.h"

struct http_server;

// All strings are the caller's, for as long as the server. ERR_UNAVAILABLE also: built without a server.
int http_server_start(const struct http_settings *settings, struct http_server **ret, struct err *err);
uint16_t http_server_port(const struct http_server *server);
bool http_server_is_loopback(const struct http_server *server);
// To be called a few times a second: ends clients that are too slow.
void http_server_tend(struct http_server *server);
// Takes no more connections, lets requests end, and stops. Accepts NULL.
void http_server_stop(struct http_server *server);

#endif
