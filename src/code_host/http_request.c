// SPDX-License-Identifier: Apache-2.0
//
// See http_request.h.
#include "code_host/http_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

// A file for the body, which only we can read: curl refuses a line of its configuration beyond 100 KiB
// (src/tool_parsecfg.c of curl 7.88), and a comment of quotes is that long. *ret_path: to be freed.
static int write_body(const char *body, char **ret_path, struct err *err) {
    const char *named = getenv("TMPDIR");
    char *path = mem_format("%s/assay-body-XXXXXX", named && *named ? named : "/tmp");
    const int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    const bool is_written = file && fputs(body, file) != EOF;
    if (file && fclose(file) != EOF && is_written) {
        *ret_path = path;
        return 0;
    }
    const int code = err_set_errno(err, ERR_CREATE, "cannot write '%s'; check TMPDIR", path);
    if (fd >= 0) unlink(path);
    if (fd >= 0 && !file) close(fd);
    free(path);
    return code;
}

// body_path: NULL: no body.
static void add_request(struct strbuf *config, const struct http_request *request, const char *body_path) {
    curl_add_option(config, "url", request->url);
    curl_add_option(config, "request", request->method);
    for (size_t i = 0; i < HTTP_HEADERS_MAX && request->headers[i]; ++i)
        curl_add_option(config, "header", request->headers[i]);
    if (!body_path) return;
    struct strbuf body = {0};
    strbuf_addf(&body, "@%s", body_path);
    curl_add_option(config, "data-binary", body.text);
    strbuf_fini(&body);
}

int http_request(const struct http_request *request, struct curl_end *ret_end, struct strbuf *ret_body,
                 struct err *err) {
    struct strbuf config = {0}, what = {0};
    char *body_path = NULL;
    *ret_end = (struct curl_end){.exit_code = -1};
    if (request->body) TRY(write_body(request->body, &body_path, err));
    add_request(&config, request, body_path);
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
    if (body_path) unlink(body_path);
    free(body_path);
    strbuf_fini(&config);
    strbuf_fini(&what);
    return code;
}
