// SPDX-License-Identifier: Apache-2.0
//
// See http_request.h.
#include "control/code_host/http_request.h"

#include <stdlib.h>
#include <string.h>

#include "control/code_host/curl_run.h"

#define STATUS_MARK "\nassay-http-status:" // behind the body

static void add_request(struct strbuf *config, const struct http_request *request) {
    curl_add_option(config, "url", request->url);
    curl_add_option(config, "request", request->method);
    for (size_t i = 0; i < HTTP_HEADERS_MAX && request->headers[i]; ++i)
        curl_add_option(config, "header", request->headers[i]);
    if (request->body) curl_add_option(config, "data-raw", request->body);
    curl_add_option(config, "write-out", STATUS_MARK "%{http_code}");
}

static int read_status(struct strbuf *answer, int *ret_status, struct err *err) {
    char *mark = NULL, *end = NULL;
    for (char *at = answer->text; at && (at = strstr(at, STATUS_MARK)); ++at) mark = at;
    const long status = mark ? strtol(mark + sizeof STATUS_MARK - 1, &end, 10) : 0;
    if (status < 100 || status > 599 || *end)
        return err_set(err, ERR_UNAVAILABLE, "curl says no status of the answer");
    *mark = 0;
    answer->length = (size_t)(mark - answer->text);
    *ret_status = (int)status;
    return 0;
}

int http_request(const struct http_request *request, int *ret_status, struct strbuf *ret_body,
                 struct err *err) {
    struct strbuf config = {0}, answer = {0}, what = {0};
    add_request(&config, request);
    if (request->shown)
        strbuf_add(&what, request->shown);
    else
        strbuf_addf(&what, "%s %s", request->method, request->url);
    int code = curl_run(&config, "=https,http", request->timeout_ms ? request->timeout_ms : HTTP_TIMEOUT_MS,
                        what.text, &answer, err);
    if (code == 0) code = read_status(&answer, ret_status, err);
    if (code == 0) strbuf_add_bytes(ret_body, strbuf_text(&answer), answer.length);
    strbuf_fini(&config);
    strbuf_fini(&answer);
    strbuf_fini(&what);
    return code;
}
