// SPDX-License-Identifier: Apache-2.0
//
// See served_request.h.
#include "serve/served_request.h"

#include "assay_config.h"

#if ASSAY_HAS_SERVE

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/mem.h"
#include "serve/http_answer.h"
#include "serve/routes.h"
#include "store/store_token.h"

enum { STATUS_TOO_LARGE = 413, STATUS_MISDIRECTED = 421 };
enum { WHOLE_UPLOADS = 4, PACKER_BYTES = 2 << 20 }; // what zstd's level 3 takes while it packs

enum request_phase {
    REQUEST_HEAD,
    REQUEST_ADMISSION, // of an upload: its token, its place
    REQUEST_BODY,
    REQUEST_ANSWER, // is made in a lane
};

struct served_request {
    struct served_shared *shared;
    struct MHD_Connection *connection;
    char *text; // its target, as it came
    enum request_phase phase;
    const struct route *route;
    char *token; // NULL: none is given
    struct upload_place place;
    struct packer *packer; // of an upload's bytes; NULL: not, or no longer
    struct packed packed;
    size_t body_bytes;
    int code; // below 0: what was wrong with it before or while its body came
    struct serve_call call;
    struct err err;
    struct lane_work work;
    struct http_answer *answer; // once it is made
};

struct connection *served_connection(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void wait_for(struct served_request *request, enum connection_wait wait, size_t bytes) {
    connections_wait(request->shared->connections, served_connection(request->connection), wait, bytes,
                     clock_ns());
}

static const char *header(const struct served_request *request, const char *name) {
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
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
static int check_host(struct served_request *request) {
    const struct served_shared *shared = request->shared;
    const char *host = header(request, MHD_HTTP_HEADER_HOST), *own = shared->settings.host;
    if (!shared->is_loopback) return 0;
    if (host && (is_named(host, "localhost") || is_named(host, "127.0.0.1") || is_named(host, "[::1]") ||
                 is_named(host, shared->name) || (own && is_named(host, own))))
        return 0;
    request->call.status = STATUS_MISDIRECTED;
    return err_set(&request->err, ERR_USAGE,
                   "this server answers to localhost, to its address and to the name of --host, not to '%s'",
                   str_shown(str_or(host, "")).text);
}

static int check_room(struct served_request *request) {
    if (!connections_is_surplus(request->shared->connections, served_connection(request->connection)))
        return 0;
    request->call.status = STATUS_BUSY;
    request->call.is_last = true;
    return err_set(&request->err, ERR_UNAVAILABLE,
                   "too many connections wait for an answer, from all clients or from this one: try again");
}

static int check_head(struct served_request *request, const char *method) {
    struct serve_call *call = &request->call;
    TRY(check_room(request));
    TRY(check_host(request));
    TRY(request_target_parse(request->text, &call->arena, &call->target, &request->err));
    request->route = route_find(call, method, &request->err);
    return request->route ? 0 : -(int)request->err.code;
}

// Asks the store: in a lane.
static int check_token(struct served_request *request) {
    struct store_pool *pool = request->shared->serve.stores;
    struct store *store = NULL;
    int is_known = 0;
    if (request->token) {
        TRY(store_pool_take(pool, &store, &request->err));
        is_known = store_token_check(store, request->token, &request->err);
        store_pool_give(pool, store, is_known < 0);
    }
    if (is_known) return is_known < 0 ? is_known : 0;
    request->call.status = STATUS_UNAUTHORIZED;
    return err_set(&request->err, ERR_USAGE,
                   "an upload needs a token that 'assay serve token add' made: Authorization: Bearer TOKEN");
}

static int refuse_size(struct served_request *request) {
    request->call.status = STATUS_TOO_LARGE;
    return err_set(&request->err, ERR_DATA, "an upload has at most %zu bytes",
                   request->shared->settings.upload_bytes_max);
}

// ---- uploads ----

size_t served_upload_room(size_t upload_bytes_max) {
    return WHOLE_UPLOADS * (upload_bytes_max + PACKER_BYTES);
}

static void go_on(struct upload_place *place) {
    MHD_resume_connection(((struct served_request *)place->arg)->connection);
}

static void read_upload_head(struct served_request *request) {
    static const char scheme[] = "Bearer ";
    const size_t scheme_length = sizeof scheme - 1, most = request->shared->settings.upload_bytes_max;
    const char *given = header(request, MHD_HTTP_HEADER_AUTHORIZATION);
    const char *length_text = header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    unsigned long long length = most; // by pieces: counted as they come
    if (given && strncasecmp(given, scheme, scheme_length) == 0)
        request->token = mem_strdup(given + scheme_length);
    if (length_text && str_parse_u64(length_text, &length) < 0) length = most;
    request->place = (struct upload_place){.on_turn = go_on, .arg = request};
    if (length > most)
        request->code = refuse_size(request);
    else
        request->place.bytes = (size_t)length + PACKER_BYTES;
}

static void admit(struct lane_work *work) {
    struct served_request *request = work->arg;
    const int code = request->route->needs_token ? check_token(request) : 0;
    if (code < 0) request->code = code; // said rather than its size
    if (request->code < 0)
        MHD_resume_connection(request->connection);
    else
        upload_places_take(request->shared->places, &request->place);
}

static void begin_packing(struct served_request *request) {
    if (request->place.is_taken)
        request->packer = packer_new();
    else
        request->code = err_set(&request->err, ERR_UNAVAILABLE, "the server stops: try again");
}

static void end_packing(struct served_request *request) {
    packer_free(request->packer);
    request->packer = NULL;
}

// What is refused is answered at the end of its body, which is read and dropped for as long as a request may
// take (connections.h): a connection that is closed with bytes unread resets, and the client sees no answer.
static void take_bytes(struct served_request *request, const char *bytes, size_t count) {
    connections_add_bytes(request->shared->connections, served_connection(request->connection), count,
                          clock_ns());
    if (!request->packer) return;
    request->body_bytes += count;
    request->code = request->body_bytes > request->shared->settings.upload_bytes_max
                        ? refuse_size(request)
                        : packer_add(request->packer, bytes, count, &request->err);
    if (request->code < 0) end_packing(request);
}

static int finish_upload(struct served_request *request) {
    TRY(packer_end(request->packer, &request->packed, &request->err));
    end_packing(request);
    request->call.upload = &request->packed;
    return 0;
}

// ---- answers ----

static void log_refused(const struct served_request *request, const char *method) {
    const struct http_settings *settings = &request->shared->settings;
    char *line = mem_format("%s %s: %u: %s", str_shown(method).text, str_shown(request->text).text,
                            request->answer->status, request->answer->why);
    settings->on_log(settings->arg, line);
    free(line);
}

static bool respond(struct served_request *request, const char *method) {
    const struct http_answer *answer = request->answer;
    if (!answer->response) return false;
    if (answer->why) log_refused(request, method);
    if (answer->status < HTTP_STATUS_MAX) ++request->shared->serve.status_counts[answer->status];
    wait_for(request, CONNECTION_ANSWER, answer->length);
    return MHD_queue_response(request->connection, answer->status, answer->response) == MHD_YES;
}

static bool refuse(struct served_request *request, const char *method) {
    route_refuse(&request->call, request->code, &request->err);
    request->answer = http_answer_new(&request->call, &request->err);
    return respond(request, method);
}

// One answer for all that asked the same.
static void make_answer(struct lane_work *work) {
    struct served_request *first = work->arg;
    route_answer(first->route, &first->call, &first->err);
    struct http_answer *answer = http_answer_new(&first->call, &first->err);
    while (work) {
        struct served_request *one = work->arg;
        work = work->same; // the request is gone once its connection goes on
        one->answer = http_answer_hold(answer);
        MHD_resume_connection(one->connection);
    }
    http_answer_release(answer);
}

static void leave_to_lane(struct served_request *request, enum lane lane, const char *key,
                          void (*run)(struct lane_work *)) {
    request->work = (struct lane_work){.lane = lane, .key = key, .run = run, .arg = request};
    MHD_suspend_connection(request->connection);
    lanes_add(request->shared->lanes, &request->work);
}

// ---- phases ----

// A client that asks whether it may send has sent no body yet.
static bool is_body_held_back(const struct served_request *request) {
    const char *expect = header(request, MHD_HTTP_HEADER_EXPECT);
    return expect && strcasecmp(expect, "100-continue") == 0;
}

static bool begin_body(struct served_request *request, const char *method) {
    if (request->code < 0 && is_body_held_back(request)) return refuse(request, method);
    request->phase = REQUEST_BODY;
    wait_for(request, request->packer ? CONNECTION_BODY : CONNECTION_DROPPED_BODY, 0);
    return true;
}

static bool begin(struct served_request *request, const char *method) {
    ++request->shared->request_count;
    wait_for(request, CONNECTION_SERVER, 0);
    request->call.serve = &request->shared->serve;
    request->code = check_head(request, method);
    if (request->code < 0 || !request->route->takes_body) return begin_body(request, method);
    read_upload_head(request);
    request->phase = REQUEST_ADMISSION;
    leave_to_lane(request, LANE_LIGHT, NULL, admit);
    return true;
}

static bool end_body(struct served_request *request, const char *method) {
    wait_for(request, CONNECTION_SERVER, 0);
    if (request->code == 0 && request->packer) request->code = finish_upload(request);
    if (request->code < 0) return refuse(request, method);
    const enum lane lane = route_lane(request->route, &request->call.target);
    if (lane != LANE_NONE) {
        request->phase = REQUEST_ANSWER;
        leave_to_lane(request, lane, request->route->takes_body ? NULL : request->text, make_answer);
        return true;
    }
    route_answer(request->route, &request->call, &request->err);
    request->answer = http_answer_new(&request->call, &request->err);
    return respond(request, method);
}

bool served_request_advance(struct served_request *request, struct MHD_Connection *connection,
                            const char *method, const char *bytes, size_t *byte_count) {
    request->connection = connection;
    switch (request->phase) {
    case REQUEST_HEAD: return begin(request, method);
    case REQUEST_ADMISSION:
        if (request->code == 0) begin_packing(request);
        return begin_body(request, method);
    case REQUEST_BODY:
        if (!*byte_count) return end_body(request, method);
        take_bytes(request, bytes, *byte_count);
        *byte_count = 0;
        return true;
    case REQUEST_ANSWER: return respond(request, method);
    }
    BUG("a request in phase %d", request->phase);
}

struct served_request *served_request_new(struct served_shared *shared, const char *text) {
    struct served_request *request = mem_alloc(sizeof *request);
    request->shared = shared;
    request->text = mem_strdup(text);
    return request;
}

void served_request_free(struct served_request *request) {
    end_packing(request);
    if (request->place.is_taken) upload_places_give(request->shared->places, &request->place);
    http_answer_release(request->answer);
    strbuf_fini(&request->call.out);
    free(request->packed.bytes);
    arena_fini(&request->call.arena);
    free(request->token);
    free(request->text);
    if (request->connection) --request->shared->request_count;
    free(request);
}

#endif
