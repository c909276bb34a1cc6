// SPDX-License-Identifier: Apache-2.0
//
// A result document that comes by PUT. Its token was checked before its bytes were read, and they were packed
// as they came (served_request.c): several large uploads may be there, and one of them is opened at a time.
#include <malloc.h>

#include "base/clock.h"
#include "base/json.h"
#include "record/run_id.h"
#include "serve/api_handlers.h"
#include "verdict/summary.h"

enum { STATUS_CREATED = 201, STATUS_BAD_REQUEST = 400, STATUS_NO_RESULT = 422 };
enum { AHEAD_MAX_S = 24 * 60 * 60, TRIM_BYTES = 1 << 20 };

static int read_json(const struct packed *packed, json_t **ret, struct err *err) {
    struct strbuf text = {0};
    int code = store_unpack(packed->bytes, packed->count, packed->document_bytes, &text, err);
    if (code == 0) code = json_read_text(text.text, text.length, "the upload", ret, err);
    strbuf_fini(&text);
    return code;
}

static int parse(struct serve_call *call, struct result *ret, struct err *err) {
    json_t *root = NULL;
    call->status = STATUS_BAD_REQUEST;
    TRY(read_json(call->upload, &root, err));
    call->status = STATUS_NO_RESULT;
    const int code = result_parse(root, "the upload", ret, err);
    json_decref(root);
    return code;
}

// Runs are sorted by their time, as a text: one of next year would be the newest for long. A clock may be
// wrong by its time zone.
static int check_time(const char *created_utc, struct err *err) {
    char utc[CLOCK_UTC_BYTES];
    int64_t created_s = 0;
    if (!created_utc || !clock_utc_complete(created_utc, utc) || !str_equal(utc, created_utc) ||
        !clock_utc_parse(created_utc, &created_s))
        return err_set(err, ERR_DATA,
                       "the upload: key 'created_utc' is no time such as 2026-01-31T12:00:00Z");
    if (created_s - clock_unix_s() > AHEAD_MAX_S)
        return err_set(err, ERR_DATA,
                       "the upload: key 'created_utc' is %s, more than a day ahead of this server's clock",
                       created_utc);
    return 0;
}

static int check_run(const struct result *result, struct err *err) {
    if (!run_id_is_valid(result->run_id))
        return err_set(
            err, ERR_DATA,
            "the upload: key 'run_id' is '%s', which is no run's id: letters, digits, '_', '-' and "
            "'.', such as 20260131-120000-bench-3c24",
            str_shown(str_or(result->run_id, "")).text);
    return check_time(result->created_utc, err);
}

static int keep(struct serve_call *call, bool *ret_is_new, struct err *err) {
    struct result result = {0};
    TRY(parse(call, &result, err));
    int code = check_run(&result, err);
    if (code == 0 && summary_set_all(&result) < 0)
        code = err_set(err, ERR_INTERNAL, "no memory for the summaries");
    if (code == 0) code = store_put_packed(call->store, &result, call->upload, NULL, ret_is_new, err);
    if (code == 0 || code == -ERR_UNAVAILABLE) call->status = 0;
    if (code == 0) call->item = arena_strdup(&call->arena, result.run_id);
    result_fini(&result);
    return code;
}

int api_upload(struct serve_call *call, struct err *err) {
    bool is_new = false;
    pthread_mutex_lock(&call->serve->parse_lock);
    const int code = keep(call, &is_new, err);
    // What a large document took is given back, so that it is not kept for good. Others wait meanwhile.
    if (call->upload->document_bytes > TRIM_BYTES) malloc_trim(0);
    pthread_mutex_unlock(&call->serve->parse_lock);
    if (code < 0) return code;
    struct json_writer w = call_json_begin(call);
    json_write_string(&w, "run_id", call->item);
    json_write_bool(&w, "is_new", is_new);
    call_json_end(call, &w);
    if (is_new) call->status = STATUS_CREATED;
    return 0;
}
