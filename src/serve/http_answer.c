// SPDX-License-Identifier: Apache-2.0
//
// See http_answer.h.
#include "serve/http_answer.h"

#include "assay_config.h"

#if ASSAY_HAS_SERVE

#include <microhttpd.h>
#include <stdlib.h>

#include "base/mem.h"

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
    if (call->is_last) MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

struct http_answer *http_answer_new(struct serve_call *call, const struct err *err) {
    struct http_answer *answer = mem_alloc(sizeof *answer);
    answer->holders = 1;
    answer->status = call->status;
    answer->length = call->fixed ? call->fixed_length : call->out.length;
    if (call->status >= 400) answer->why = mem_strdup(err->text);
    answer->response =
        call->fixed
            ? MHD_create_response_from_buffer(answer->length, (void *)call->fixed, MHD_RESPMEM_PERSISTENT)
            : MHD_create_response_from_buffer(answer->length, strbuf_take(&call->out), MHD_RESPMEM_MUST_FREE);
    if (answer->response) add_headers(call, answer->response);
    return answer;
}

struct http_answer *http_answer_hold(struct http_answer *answer) {
    ++answer->holders;
    return answer;
}

void http_answer_release(struct http_answer *answer) {
    if (!answer || --answer->holders) return;
    if (answer->response) MHD_destroy_response(answer->response);
    free(answer->why);
    free(answer);
}

#endif
