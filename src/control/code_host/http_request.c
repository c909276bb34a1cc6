// SPDX-License-Identifier: Apache-2.0
//
// See http_request.h.
#include "control/code_host/http_request.h"

static void add_request(struct strbuf *config, const struct http_request *request) {
    curl_add_option(config, "url", request->url);
    curl_add_option(config, "request", request->method);
    for (size_t i = 0; i < HTTP_HEADERS_MAX && request->headers[i]; ++i)
        curl_add_option(config, "header", request->headers[i]);
    if (request->body) curl_add_option(config, "data-raw", request->body);
}

int http_request(const struct http_request *request, struct curl_end *ret_end, struct strbuf *ret_body,
                 struct err *err) {
    struct strbuf config = {0}, what = {0};
    add_request(&config, request);
    if (request->shown)
        strbuf_add(&what, request->shown);
    else
        strbuf_addf(&what, "%s %s", request->method, request->url);
    const struct curl_task task = {.config = &config,
                                   .protocols = "=https,http",
                                   .timeout_ms = request->timeout_ms ? request->timeout_ms : HTTP_TIMEOUT_MS,
                                   .what = what.text};
    int code = curl_run(&task, ret_end, ret_body, err);
    if (code == 0 && (ret_end->status < 100 || ret_end->status > 599))
        code = err_set(err, ERR_UNAVAILABLE, "curl says no status of the answer");
    strbuf_fini(&config);
    strbuf_fini(&what);
    return code;
}
