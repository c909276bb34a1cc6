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
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "serve/connections.h"
#include "serve/listener.h"
#include "serve/routes.h"
#include "store/store_token.h"

enum { THREADS = 4, CONNECTIONS_MAX = 256, IDLE_S = 15, UPLOADS_MAX = 4, HEADER_BYTES = 32 << 10 };
enum { STATUS_UNAUTHORIZED = 401, STATUS_TOO_LARGE = 413, STATUS_MISDIRECTED = 421, STATUS_BUSY = 503 };
static const uint64_t STOP_POLL_NS = 20000000u;

struct http_server {
    struct http_settings settings;
    char name[64]; // its address in requests: "127.0.0.2", "[::1]"
    struct serve serve;
    struct listener listener;
    struct connections *connections;
    struct MHD_Daemon *daemon;
    atomic_int request_count; // that are going on
    atomic_int upload_count;
};

struct http_request {
    struct http_server *server;
    char *text; // its target, as it came
    bool is_begun, is_upload;
    const struct route *route;
    struct packer *packer; // of an upload's bytes; NULL: not, or no longer
    struct packed packed;
    size_t body_bytes;
    int code; // below 0: what was wrong with it before or while its body came
    struct serve_call call;
    struct err err;
};

static struct connection *connection_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

// ---- what a request must fulfil ----

static bool is_named(const char *host, const char *name) {
    const size_t length = strlen(name);
    if (strncasecmp(host, name, length) != 0) return false;
    return !host[length] ||
           (host[length] == ':' && strspn(host + length + 1, "0123456789") == strlen(host + length + 1));
}

// A page of another site may have a browser send requests here, by a name that its owner points at us (DNS
// rebinding). They bear that name.
static int check_host(struct http_request *request, struct MHD_Connection *connection) {
    const struct http_settings *settings = &request->server->settings;
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    if (!request->server->listener.is_loopback) return 0;
    if (host && (is_named(host, "localhost") || is_named(host, "127.0.0.1") || is_named(host, "[::1]") ||
                 is_named(host, request->server->name) || (settings->host && is_named(host, settings->host))))
        return 0;
    request->call.status = STATUS_MISDIRECTED;
    return err_set(&request->err, ERR_USAGE,
                   "this server answers to localhost, to its address and to the name of --host, not to '%s'",
                   str_shown(str_or(host, "")).text);
}

static int check_token(struct http_request *request, struct MHD_Connection *connection) {
    static const char scheme[] = "Bearer ";
    const size_t length = sizeof scheme - 1;
    const char *given =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
    struct store_pool *pool = request->server->serve.stores;
    struct store *store = NULL;
    int is_known = 0;
    if (given && strncasecmp(given, scheme, length) == 0) {
        TRY(store_pool_take(pool, &store, &request->err));
        is_known = store_token_check(store, given + length, &request->err);
        store_pool_give(pool, store, is_known < 0);
    }
    if (is_known) return is_known < 0 ? is_known : 0;
    request->call.status = STATUS_UNAUTHORIZED;
    return err_set(&request->err, ERR_USAGE,
                   "an upload needs a token that 'assay serve token add' made: Authorization: Bearer TOKEN");
}

static int refuse_size(struct http_request *request) {
    request->call.status = STATUS_TOO_LARGE;
    return err_set(&request->err, ERR_DATA, "an upload has at most %zu bytes",
                   request->server->settings.upload_bytes_max);
}

static int check_size(struct http_request *request, struct MHD_Connection *connection) {
    const char *text =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    unsigned long long length = 0;
    if (!text || str_parse_u64(text, &length) < 0) return 0; // by pieces: counted as they come
    return length > request->server->settings.upload_bytes_max ? refuse_size(request) : 0;
}

// A few may come at a time: what is packed is in memory.
static int begin_upload(struct http_request *request) {
    if (atomic_fetch_add(&request->server->upload_count, 1) < UPLOADS_MAX) {
        request->is_upload = true;
        request->packer = packer_new();
        return 0;
    }
    --request->server->upload_count;
    request->call.status = STATUS_BUSY;
    return err_set(&request->err, ERR_UNAVAILABLE, "%d uploads are coming in: try again", UPLOADS_MAX);
}

static int begin(struct http_request *request, struct MHD_Connection *connection, const char *method) {
    struct serve_call *call = &request->call;
    call->serve = &request->server->serve;
    TRY(check_host(request, connection));
    TRY(request_target_parse(request->text, &call->arena, &call->target, &request->err));
    request->route = route_find(call, method, &request->err);
    if (!request->route) return -(int)request->err.code;
    if (request->route->needs_token) TRY(check_token(request, connection));
    if (request->route->takes_body) TRY(check_size(request, connection));
    return request->route->takes_body ? begin_upload(request) : 0;
}

static void end_packing(struct http_request *request) {
    packer_free(request->packer);
    request->packer = NULL;
}

// A client that asks whether it may send has sent no body yet.
static bool is_body_held_back(struct MHD_Connection *connection) {
    const char *expect = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_EXPECT);
    return expect && strcasecmp(expect, "100-continue") == 0;
}

// What is refused is answered at the end of its body, which is read and dropped for as long as a request may
// take (connections.h): a connection that is closed with bytes unread resets, and the client sees no answer.
static void take_bytes(struct http_request *request, const char *bytes, size_t count) {
    if (!request->packer) return;
    request->body_bytes += count;
    request->code = request->body_bytes > request->server->settings.upload_bytes_max
                        ? refuse_size(request)
                        : packer_add(request->packer, bytes, count, &request->err);
    if (request->code < 0) end_packing(request);
}

static int finish_upload(struct http_request *request) {
    TRY(packer_end(request->packer, &request->packed, &request->err));
    end_packing(request);
    request->call.upload = &request->packed;
    return 0;
}

// ---- answers ----

static void add_headers(const struct serve_call *call, struct MHD_Response *response) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, call->type);
    MHD_add_response_header(response, "Content-Security-Policy", call->policy);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, call->fixed ? "no-cache" : "no-store");
    if (call->allowed_methods)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, call->allowed_methods);
    if (call->status == STATUS_UNAUTHORIZED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    if (call->status == STATUS_BUSY) MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
}

static void log_refused(const struct http_request *request, const char *method) {
    const struct http_settings *settings = &request->server->settings;
    char *line = mem_format("%s %s: %u: %s", str_shown(method).text, str_shown(request->text).text,
                            request->call.status, request->err.text);
    settings->on_log(settings->arg, line);
    free(line);
}

static enum MHD_Result respond(struct http_request *request, struct MHD_Connection *connection,
                               const char *method) {
    struct serve_call *call = &request->call;
    const size_t length = call->out.length;
    struct MHD_Response *response =
        call->fixed
            ? MHD_create_response_from_buffer(call->fixed_length, (void *)call->fixed, MHD_RESPMEM_PERSISTENT)
            : MHD_create_response_from_buffer(length, strbuf_take(&call->out), MHD_RESPMEM_MUST_FREE);
    if (!response) return MHD_NO;
    add_headers(call, response);
    if (call->status >= 400) log_refused(request, method);
    if (call->status < HTTP_STATUS_MAX) ++call->serve->status_counts[call->status];
    connections_touch(request->server->connections, connection_of(connection));
    const enum MHD_Result ret = MHD_queue_response(connection, call->status, response);
    MHD_destroy_response(response);
    return ret;
}

static enum MHD_Result refuse(struct http_request *request, struct MHD_Connection *connection,
                              const char *method, int code) {
    route_refuse(&request->call, code, &request->err);
    return respond(request, connection, method);
}

// ---- what libmicrohttpd calls ----

static void *on_target(void *arg, const char *text, struct MHD_Connection *connection) {
    struct http_request *request = mem_alloc(sizeof *request);
    (void)connection;
    request->server = arg;
    request->text = mem_strdup(text);
    return request;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *byte_count, void **state) {
    struct http_request *request = *state;
    (void)arg, (void)url, (void)version;
    if (!request->is_begun) {
        request->is_begun = true;
        ++request->server->request_count;
        request->code = begin(request, connection, method);
        if (request->code < 0 && is_body_held_back(connection))
            return refuse(request, connection, method, request->code);
        return MHD_YES;
    }
    if (*byte_count) {
        take_bytes(request, bytes, *byte_count);
        *byte_count = 0;
        return MHD_YES;
    }
    if (request->code == 0 && request->route->takes_body) request->code = finish_upload(request);
    if (request->code < 0) return refuse(request, connection, method, request->code);
    route_answer(request->route, &request->call, &request->err);
    return respond(request, connection, method);
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how) {
    struct http_request *request = *state;
    struct http_server *server = arg;
    (void)how;
    if (!request) return;
    if (request->is_upload) --server->upload_count;
    connections_touch(server->connections, connection_of(connection));
    strbuf_fini(&request->call.out);
    end_packing(request);
    free(request->packed.bytes);
    arena_fini(&request->call.arena);
    if (request->is_begun) --server->request_count;
    free(request->text);
    free(request);
    *state = NULL;
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode what) {
    struct http_server *server = arg;
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *state = connections_add(
            server->connections,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
    else
        connections_remove(server->connections, *state);
}

// What is no HTTP.
static void on_library_log(void *arg, const char *format, va_list values) {
    const struct http_server *server = arg;
    struct strbuf text = {0};
    strbuf_addv(&text, format, values);
    if (text.length && text.text[text.length - 1] == '\n') text.text[text.length - 1] = 0;
    server->settings.on_log(server->settings.arg, strbuf_text(&text));
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
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request, server,
        MHD_OPTION_EXTERNAL_LOGGER, on_library_log, server, MHD_OPTION_LISTEN_SOCKET, server->listener.fd,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, server, MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
        server, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

static int start(struct http_server *server, struct err *err) {
    struct store *store = NULL;
    sigset_t all, before;
    TRY(store_pool_take(server->serve.stores, &store, err)); // what is wrong with the store is said now
    store_pool_give(server->serve.stores, store, false);
    TRY(listener_open(server->settings.address, server->settings.port, &server->listener, err));
    // One heap for all threads: what an upload took in one of them is given back (malloc_trim), and not kept
    // for the next upload that the same thread happens to get.
    mallopt(M_ARENA_MAX, 1);
    // Signals are for the thread that waits for them.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    server->daemon = start_daemon(server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (server->daemon) return 0;
    close(server->listener.fd);
    return err_set(err, ERR_UNAVAILABLE, "the server does not start: too few descriptors or threads");
}

static void free_server(struct http_server *server) {
    store_pool_free(server->serve.stores);
    connections_free(server->connections);
    pthread_mutex_destroy(&server->serve.parse_lock);
    free(server);
}

int http_server_start(const struct http_settings *settings, struct http_server **ret, struct err *err) {
    struct http_server *server = mem_alloc(sizeof *server);
    server->settings = *settings;
    snprintf(server->name, sizeof server->name, strchr(settings->address, ':') ? "[%s]" : "%s",
             settings->address);
    server->serve.stores = store_pool_new(settings->store);
    server->serve.runs_folder = settings->runs_folder;
    pthread_mutex_init(&server->serve.parse_lock, NULL);
    server->connections = connections_new((uint64_t)settings->request_s * 1000000000u);
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
    connections_end_slow(server->connections);
}

void http_server_stop(struct http_server *server) {
    if (!server) return;
    MHD_quiesce_daemon(server->daemon);
    close(server->listener.fd);
    while (server->request_count > 0) { // ends, because slow clients do
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
