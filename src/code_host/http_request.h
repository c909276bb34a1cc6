// SPDX-License-Identifier: Apache-2.0
//
// One HTTP request, by the curl program.
#ifndef CODE_HOST_HTTP_REQUEST_H
#define CODE_HOST_HTTP_REQUEST_H

#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "code_host/curl_run.h"

#define HTTP_TIMEOUT_MS  20000
#define HTTP_HEADERS_MAX 6

struct http_request {
    const char *method, *url;              // "PATCH", "https://..."
    const char *headers[HTTP_HEADERS_MAX]; // "Accept: application/json"; NULL ends them
    const char *body;                      // NULL: none
    unsigned timeout_ms;                   // 0: HTTP_TIMEOUT_MS
    const char *shown;                     // for messages, where the URL is a secret; NULL: method and URL
};

// The answer's body is appended to ret_body. ERR_UNAVAILABLE: no curl, no connection, no answer in time, and
// *ret_end says how it ended; a status is no error of this function. ERR_CREATE: the body lies in a file of
// $TMPDIR, or /tmp, while curl runs, and that cannot be written.
int http_request(const struct http_request *request, struct curl_end *ret_end, struct strbuf *ret_body,
                 struct err *err);

#endif
