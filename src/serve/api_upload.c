// SPDX-License-Identifier: Apache-2.0
//
// A result document that comes by PUT. Its token was checked before its bytes were read, and they were packed
// as they came (http_server.c): several large uploads may be there, and one of them is opened at a time.
#include <malloc.h>

#include "base/json.h"
#include "control/verdict/summary.h"
#include "serve/api_handlers.h"

enum { STATUS_CREATED = 201, STATUS_BAD_REQUEST = 400, STATUS_NO_RESULT = 422 };

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

static int keep(struct serve_call *call, bool *ret_is_new, struct err *err) {
    struct result result = {0};
    TRY(parse(call, &result, err));
    int code = summary_set_all(&result) < 0 ? err_set(err, ERR_INTERNAL, "no memory for the summaries") : 0;
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
    malloc_trim(
        0); // what an opened document took is given back, so that one large upload is not kept for good
    pthread_mutex_unlock(&call->serve->parse_lock);
    if (code < 0) return code;
    struct json_writer w = call_json_begin(call);
    json_write_string(&w, "run_id", call->item);
    json_write_bool(&w, "is_new", is_new);
    call_json_end(call, &w);
    if (is_new) call->status = STATUS_CREATED;
    return 0;
}
