// SPDX-License-Identifier: Apache-2.0
//
// What is sent for a call, as libmicrohttpd takes it. Requests that asked the same hold one together.
#ifndef SERVE_HTTP_ANSWER_H
#define SERVE_HTTP_ANSWER_H

#include <stdatomic.h>
#include <stddef.h>

#include "serve/serve_call.h"

struct MHD_Response;

enum { STATUS_UNAUTHORIZED = 401, STATUS_BUSY = 503 };

struct http_answer {
    struct MHD_Response *response; // NULL: there was no memory
    unsigned status;
    size_t length;
    char *why; // of a refusal; NULL
    atomic_int holders;
};

// Takes what the call has to say. err: why, where its status is one of a refusal.
struct http_answer *http_answer_new(struct serve_call *call, const struct err *err);
struct http_answer *http_answer_hold(struct http_answer *answer);
void http_answer_release(struct http_answer *answer); // accepts NULL

#endif
