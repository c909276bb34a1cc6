// SPDX-License-Identifier: Apache-2.0
//
// See http_request.h.
#include "control/code_host/http_request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/proc.h"

#define STATUS_MARK "\nassay-http-status:" // behind the body

// A value of curl's configuration: in quotes, with its escapes (curl(1), --config).
static void add_option(struct strbuf *config, const char *name, const char *value) {
    strbuf_addf(config, "%s = \"", name);
    for (const char *c = value; *c; ++c) {
        const char *escape = *c == '"'    ? "\\\""
                             : *c == '\\' ? "\\\\"
                             : *c == '\n' ? "\\n"
                             : *c == '\r' ? "\\r"
                                          : NULL;
        if (escape)
            strbuf_add(config, escape);
        else
            strbuf_add_char(config, *c);
    }
    strbuf_add(config, "\"\n");
}

static void add_request(struct strbuf *config, const struct http_request *request) {
    add_option(config, "url", request->url);
    add_option(config, "request", request->method);
    for (size_t i = 0; i < HTTP_HEADERS_MAX && request->headers[i]; ++i)
        add_option(config, "header", request->headers[i]);
    if (request->body) add_option(config, "data-raw", request->body);
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
    static const char *const argv[] = {
        "curl",        "--disable",  "--silent", "--show-error", "--proto",
        "=https,http", "--max-time", "20",       "--write-out",  STATUS_MARK "%{http_code}",
        "--config",    "-",          NULL};
    struct strbuf config = {0}, answer = {0}, complaint = {0};
    struct proc_status ended = {0};
    add_request(&config, request);
    const struct proc_spec spec = {.argv = argv,
                                   .stdin_text = strbuf_text(&config),
                                   .stdin_length = config.length,
                                   .timeout_ns = UINT64_C(2000000000) * HTTP_TIMEOUT_S,
                                   .output_limit_bytes = HTTP_ANSWER_BYTES};
    int code = proc_run_split(&spec, &ended, &answer, &complaint, err);
    if (code == 0 && (ended.end != PROC_EXITED || ended.exit_code != 0))
        code = err_set(err, ERR_UNAVAILABLE, "%s %s: %s", request->method, str_shown(request->url).text,
                       complaint.length ? str_shown(complaint.text).text : "curl was ended");
    if (code == 0) code = read_status(&answer, ret_status, err);
    if (code == 0) strbuf_add_bytes(ret_body, strbuf_text(&answer), answer.length);
    strbuf_fini(&config);
    strbuf_fini(&answer);
    strbuf_fini(&complaint);
    return code;
}
