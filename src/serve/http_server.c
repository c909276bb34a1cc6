// SPDX-License-Identifier: Apache-2.0
//
// See http_server.h.
#include "serve/http_server.h"

#include "assay_config.h"

#if ASSAY_HAS_SERVE

#include <malloc.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "serve/kept_changes.h"
#include "serve/listener.h"
#include "serve/served_request.h"

// SPARE: those that are refused, or ended and not gone yet. Where even these are taken, others wait to be
// accepted.
enum { CONNECTIONS_MAX = 256, CONNECTIONS_SPARE = 256, CLIENT_CONNECTIONS_MAX = 64 };
enum { HEAD_S = 10, BODY_IDLE_S = 15, HEADER_BYTES = 32 << 10, KEPT_BYTES = 1 << 20 };
static const uint64_t STOP_POLL_NS = 20000000u, SECOND_NS = 1000000000u;
static const uint64_t CHANGES_WAIT_NS = 250000000u; // of a request, for newer change points

struct http_server {
    struct served_shared shared;
    struct listener listener;
    struct MHD_Daemon *daemon;
};

// ---- what libmicrohttpd calls, in its one thread ----

static void *on_target(void *arg, const char *text, struct MHD_Connection *connection) {
    struct http_server *server = arg;
    (void)connection;
    return served_request_new(&server->shared, text);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *byte_count, void **state) {
    (void)arg, (void)url, (void)version;
    return served_request_advance(*state, connection, method, bytes, byte_count) ? MHD_YES : MHD_NO;
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how) {
    struct http_server *server = arg;
    (void)how;
    if (!*state) return;
    served_request_free(*state);
    *state = NULL;
    connections_wait(server->shared.connections, served_connection(connection), CONNECTION_NEXT_HEAD, 0,
                     clock_ns());
}

static const union MHD_ConnectionInfo *info_of(struct MHD_Connection *connection,
                                               enum MHD_ConnectionInfoType what) {
    return MHD_get_connection_info(connection, what);
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode what) {
    struct connections *connections = ((struct http_server *)arg)->shared.connections;
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *state =
            connections_add(connections, info_of(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
                            info_of(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr, clock_ns());
    else
        connections_remove(connections, *state);
}

// What is no HTTP.
static void on_library_log(void *arg, const char *format, va_list values) {
    const struct http_settings *settings = &((const struct http_server *)arg)->shared.settings;
    struct strbuf text = {0};
    strbuf_addv(&text, format, values);
    if (text.length && text.text[text.length - 1] == '\n') text.text[text.length - 1] = 0;
    settings->on_log(settings->arg, strbuf_text(&text));
    strbuf_fini(&text);
}

// The target is decoded by request_target.c, from what came.
static size_t leave_escapes(void *arg, struct MHD_Connection *connection, char *text) {
    (void)arg, (void)connection;
    return strlen(text);
}

// ---- the server ----

static struct MHD_Daemon *start_daemon(struct http_server *server) {
    return MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        on_request, server, MHD_OPTION_EXTERNAL_LOGGER, on_library_log, server, MHD_OPTION_LISTEN_SOCKET,
        server->listener.fd, MHD_OPTION_URI_LOG_CALLBACK, on_target, server, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_escapes, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, server, MHD_OPTION_CONNECTION_LIMIT, (unsigned)(CONNECTIONS_MAX + CONNECTIONS_SPARE),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

// What goes wrong is said to who asks.
static void search_changes(struct lane_work *work) {
    struct serve *serve = work->arg;
    struct store *store = NULL;
    struct err err = {0};
    (void)store_pool_take(serve->stores, &store, &err);
    const int code = kept_changes_search(serve->changes, store);
    store_pool_give(serve->stores, store, code < 0);
}

static void search_soon(void *arg) {
    struct served_shared *shared = arg;
    lanes_add(shared->lanes, &shared->search);
}

static int start_threads(struct http_server *server, struct err *err) {
    sigset_t all, before;
    // Signals are for the thread that waits for them.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    server->shared.lanes = lanes_start();
    if (server->shared.lanes) server->daemon = start_daemon(server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (server->daemon) {
        kept_changes_ask(server->shared.serve.changes); // the first page waits the less
        return 0;
    }
    close(server->listener.fd);
    return err_set(err, ERR_UNAVAILABLE, "the server does not start: too few descriptors or threads");
}

static int start(struct http_server *server, struct err *err) {
    struct served_shared *shared = &server->shared;
    struct store *store = NULL;
    TRY(store_pool_take(shared->serve.stores, &store, err)); // what is wrong with the store is said now
    store_pool_give(shared->serve.stores, store, false);
    TRY(listener_open(shared->settings.address, shared->settings.port, &server->listener, err));
    shared->is_loopback = server->listener.is_loopback;
    // What a large answer or document took is given back, by each thread's heap, not kept for the next one.
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    return start_threads(server, err);
}

static struct connection_limits limits_of(const struct http_settings *settings) {
    const uint64_t request_ns = settings->request_s * SECOND_NS;
    return (struct connection_limits){
        .count_max = CONNECTIONS_MAX,
        .client_max = settings->client_connections ? settings->client_connections : CLIENT_CONNECTIONS_MAX,
        .has_loopback = settings->client_connections != 0,
        .head_ns = settings->request_s < HEAD_S ? request_ns : HEAD_S * SECOND_NS,
        .body_ns = request_ns,
        .body_idle_ns = BODY_IDLE_S * SECOND_NS,
        .answer_ns = request_ns,
    };
}

static void free_server(struct http_server *server) {
    struct served_shared *shared = &server->shared;
    lanes_stop(shared->lanes);
    kept_changes_free(shared->serve.changes);
    store_pool_free(shared->serve.stores);
    connections_free(shared->connections);
    upload_places_free(shared->places);
    pthread_mutex_destroy(&shared->serve.parse_lock);
    free(server);
}

int http_server_start(const struct http_settings *settings, struct http_server **ret, struct err *err) {
    struct http_server *server = mem_alloc(sizeof *server);
    struct served_shared *shared = &server->shared;
    const struct connection_limits limits = limits_of(settings);
    shared->settings = *settings;
    snprintf(shared->name, sizeof shared->name, strchr(settings->address, ':') ? "[%s]" : "%s",
             settings->address);
    shared->serve.stores = store_pool_new(settings->store);
    shared->serve.changes = kept_changes_new();
    shared->serve.runs_folder = settings->runs_folder;
    kept_changes_set_later(shared->serve.changes, CHANGES_WAIT_NS, search_soon, shared);
    shared->search = (struct lane_work){.lane = LANE_LIGHT, .run = search_changes, .arg = &shared->serve};
    pthread_mutex_init(&shared->serve.parse_lock, NULL);
    shared->connections = connections_new(&limits);
    shared->places = upload_places_new(served_upload_room(settings->upload_bytes_max));
    const int code = start(server, err);
    if (code < 0)
        free_server(server);
    else
        *ret = server;
    return code;
}

uint16_t http_server_port(const struct http_server *server) {
    return server->listener.port;
}

bool http_server_is_loopback(const struct http_server *server) {
    return server->listener.is_loopback;
}

void http_server_tend(struct http_server *server) {
    connections_end_late(server->shared.connections, clock_ns());
}

void http_server_stop(struct http_server *server) {
    if (!server) return;
    MHD_quiesce_daemon(server->daemon);
    close(server->listener.fd);
    upload_places_close(server->shared.places);
    while (server->shared.request_count > 0) { // ends, because slow clients do
        http_server_tend(server);
        clock_sleep_ns(STOP_POLL_NS);
    }
    MHD_stop_daemon(server->daemon);
    free_server(server);
}

#else

int http_server_start(const struct http_settings *settings, struct http_server **ret, struct err *err) {
    (void)settings, (void)ret;
    if (ASSAY_STATIC)
        return err_set(err, ERR_UNAVAILABLE,
                       "a static assay has no server: build the default preset, with libmicrohttpd-dev and "
                       "libsodium-dev");
    return err_set(err, ERR_UNAVAILABLE,
                   "this assay was built without a server: install libmicrohttpd-dev, libsodium-dev, "
                   "libsqlite3-dev and libzstd-dev, and build it again");
}

uint16_t http_server_port(const struct http_server *server) {
    (void)server;
    return 0;
}

bool http_server_is_loopback(const struct http_server *server) {
    (void)server;
    return true;
}

void http_server_tend(struct http_server *server) {
    (void)server;
}

void http_server_stop(struct http_server *server) {
    (void)server;
}

#endif
