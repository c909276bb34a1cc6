// SPDX-License-Identifier: Apache-2.0
//
// See comment.h. Both hosts answer a list of comments with an array of objects with `id` and `body`.
#include "control/code_host/comment.h"

#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "control/report/result/report.h"

#define PAGES_MAX 50  // of a hundred comments
#define MARK_MAX  200 // bytes of what a mark names

const char *comment_mark(const struct ci_job *job, const struct result *result, struct arena *arena) {
    struct strbuf text = {0}, plain = {0};
    strbuf_addf(&text, "%s on %s", str_or(result->suite, "problems"),
                str_or(job->runner, str_or(result->environment.device, "a machine")));
    strbuf_add_plain(&plain, strbuf_text(&text), true);
    for (char *c = plain.text; c && *c; ++c) // what could end the comment of HTML
        if (*c == '-' || *c == '<' || *c == '>') *c = '_';
    const char *ret = arena_format(arena, "<!-- assay: suite %.*s -->",
                                   (int)str_fitting(strbuf_text(&plain), MARK_MAX), strbuf_text(&plain));
    strbuf_fini(&text);
    strbuf_fini(&plain);
    return ret;
}

int comment_body(const struct ci_job *job, const struct result *result, struct arena *arena,
                 struct strbuf *out, struct err *err) {
    const char *mark = comment_mark(job, result, arena);
    struct report_options options = report_options_default();
    struct strbuf page = {0};
    if (job->run_url) strbuf_addf(&page, "\n[The job and its files](%s)\n", job->run_url);
    options.limit_bytes = REPORT_COMMENT_BYTES - strlen(mark) - page.length - 1;
    strbuf_addf(out, "%s\n", mark);
    const bool is_printed = report_format_find("markdown")->print(result, &options, out) == 0;
    strbuf_add(out, strbuf_text(&page));
    strbuf_fini(&page);
    return is_printed ? 0 : err_set(err, ERR_INTERNAL, "no memory for the comment");
}

// ---- the host's interface ----

static int ask(const struct code_host *host, const struct ci_job *job, const struct http_request *wanted,
               struct arena *arena, struct strbuf *answer, struct err *err) {
    struct http_request request = *wanted;
    struct curl_end end = {0};
    host->add_headers(job, arena, &request);
    TRY(http_request(&request, &end, answer, err));
    const int status = end.status;
    if (status / 100 == 2) return 0;
    return err_set(err, ERR_UNAVAILABLE, "%s answers %d to %s %s: %s%s", host->title, status, request.method,
                   str_shown(request.url).text, str_shown(strbuf_text(answer)).text,
                   status == 401 || status == 403 ? host->token_hint : "");
}

// The newest comment of a page that begins with the mark; 0: none. *ret_count: comments on the page.
static int64_t find_on_page(const json_t *list, const char *mark, size_t *ret_count) {
    int64_t found = 0;
    *ret_count = json_array_size(list);
    for (size_t i = 0; i < *ret_count; ++i) {
        const json_t *one = json_array_get(list, i);
        const char *body = json_string_value(json_object_get(one, "body"));
        const json_t *id = json_object_get(one, "id");
        if (body && str_starts(body, mark) && json_is_integer(id)) found = json_integer_value(id);
    }
    return found;
}

static int find_comment(const struct code_host *host, const struct ci_job *job, const char *mark,
                        struct arena *arena, int64_t *ret, struct err *err) {
    size_t count = 100;
    *ret = 0;
    for (unsigned page = 1; page <= PAGES_MAX && count == 100; ++page) {
        const struct http_request request = {.method = "GET", .url = host->list_url(job, page, arena)};
        struct strbuf answer = {0};
        json_t *list = NULL;
        int code = ask(host, job, &request, arena, &answer, err);
        if (code == 0) code = json_read_text(strbuf_text(&answer), answer.length, host->title, &list, err);
        strbuf_fini(&answer);
        if (code < 0) return err_set(err, ERR_UNAVAILABLE, "%s", arena_strdup(arena, err->text));
        const int64_t found = find_on_page(list, mark, &count);
        if (found) *ret = found;
        json_decref(list);
    }
    return 0;
}

int comment_post(const struct code_host *host, const struct ci_job *job, const char *mark, const char *body,
                 struct arena *arena, struct err *err) {
    int64_t comment = 0;
    struct strbuf text = {0}, answer = {0};
    TRY(find_comment(host, job, mark, arena, &comment, err));
    struct json_writer w = json_writer_make(&text, 0);
    json_object_begin(&w, NULL);
    json_write_string(&w, "body", body);
    json_object_end(&w);
    const struct http_request request = {.method = comment ? host->update_method : "POST",
                                         .url = comment ? host->update_url(job, comment, arena)
                                                        : host->create_url(job, arena),
                                         .body = strbuf_text(&text)};
    const int code = ask(host, job, &request, arena, &answer, err);
    strbuf_fini(&text);
    strbuf_fini(&answer);
    return code;
}
