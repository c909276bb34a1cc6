// SPDX-License-Identifier: Apache-2.0
//
// See serve_call.h.
#include "serve/serve_call.h"

#include "base/clock.h"

enum { LIMIT_MAX = 1000 };

void call_json_type(struct serve_call *call) {
    call->type = "application/json";
    call->policy = DATA_POLICY;
}

struct json_writer call_json_begin(struct serve_call *call) {
    struct json_writer w = json_writer_make(&call->out, 0);
    call_json_type(call);
    json_object_begin(&w, NULL);
    return w;
}

void call_json_end(struct serve_call *call, struct json_writer *w) {
    json_object_end(w);
    strbuf_add_char(&call->out, '\n');
}

void call_set_error(struct serve_call *call, const struct err *err) {
    call->fixed = NULL;
    strbuf_clear(&call->out);
    struct json_writer w = call_json_begin(call);
    json_write_string(&w, "error", err->text);
    call_json_end(call, &w);
}

static int read_count(const struct serve_call *call, const char *name, size_t most, size_t *ret,
                      struct err *err) {
    const char *text = request_parameter(&call->target, name);
    unsigned long long value = 0;
    if (!text) return 0;
    if (str_parse_u64(text, &value) < 0 || value > most)
        return err_set(err, ERR_USAGE, "%s takes a number to %zu, not '%s'", name, most,
                       str_shown(text).text);
    *ret = (size_t)value;
    return 0;
}

// Times are compared as texts.
static int read_since(struct serve_call *call, const char **ret, struct err *err) {
    const char *text = request_parameter(&call->target, "since");
    char utc[CLOCK_UTC_BYTES];
    if (!text) return 0;
    if (!clock_utc_complete(text, utc))
        return err_set(err, ERR_USAGE,
                       "since takes a date or a time in UTC, 2026-01-31 or 2026-01-31T12:00:00Z, not '%s'",
                       str_shown(text).text);
    *ret = arena_strdup(&call->arena, utc);
    return 0;
}

int call_filter_read(struct serve_call *call, struct call_filter *ret, struct err *err) {
    const struct request_target *target = &call->target;
    *ret = (struct call_filter){
        .store = {.branch = request_parameter(target, "branch"),
                  .device = request_parameter(target, "device"),
                  .suite = request_parameter(target, "suite"),
                  .side = request_parameter(target, "side")},
        .text = request_parameter(target, "q"),
        .verdict = request_parameter(target, "verdict"),
        .limit = CALL_ROWS_DEFAULT,
    };
    TRY(read_since(call, &ret->store.since_utc, err));
    TRY(read_count(call, "limit", LIMIT_MAX, &ret->limit, err));
    if (!ret->limit) return err_set(err, ERR_USAGE, "limit takes 1 to %d", LIMIT_MAX);
    return read_count(call, "offset", UINT32_MAX / 2, &ret->offset, err);
}

int call_need_parameter(const struct serve_call *call, const char *name, const char **ret, struct err *err) {
    *ret = request_parameter(&call->target, name);
    return *ret ? 0 : err_set(err, ERR_USAGE, "the parameter '%s' is missing", name);
}

int call_item_id(const struct serve_call *call, const char *what, int64_t *ret, struct err *err) {
    unsigned long long id = 0;
    if (str_parse_u64(call->item, &id) < 0 || id > INT64_MAX)
        return err_set(err, ERR_NO_INPUT, "%s is named by a number, not by '%s'", what,
                       str_shown(call->item).text);
    *ret = (int64_t)id;
    return 0;
}

void call_write_run(struct json_writer *w, const char *key, const struct stored_run *run) {
    json_object_begin(w, key);
    json_write_string(w, "run_id", run->run_id);
    json_write_string(w, "created_utc", run->created_utc);
    json_write_string(w, "command", run->command);
    json_write_string(w, "suite", run->suite);
    json_write_string(w, "commit", run->commit);
    json_write_string(w, "parent", run->parent);
    json_write_string(w, "branch", run->branch);
    json_write_string(w, "device_uuid", run->device_uuid);
    json_write_string(w, "device", run->device);
    json_write_string(w, "driver", run->driver);
    json_write_string(w, "host", run->host);
    json_write_string(w, "verdict", run->verdict);
    json_write_string(w, "metric", run->metric);
    json_write_i64(w, "problem_count", run->problem_count);
    json_object_end(w);
}
