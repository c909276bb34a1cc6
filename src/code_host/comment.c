// SPDX-License-Identifier: Apache-2.0
//
// See comment.h. Both hosts answer a list of comments with an array of objects with `id` and `body`, and
// `/user` with whose the token is.
#include "code_host/comment.h"
#include "report/formats/report_formats.h"

#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "report/result/report.h"

#define PAGES_MAX 50  // of a hundred comments
#define FOUND_MAX 8   // comments with the mark that are tried, the newest
#define MARK_MAX  200 // bytes of what a mark names

const char *comment_mark(const struct result *result, struct arena *arena) {
    struct strbuf text = {0}, plain = {0};
    strbuf_addf(&text, "%s on %s", str_or(result->suite, "problems"),
                str_or(result->environment.device, "a device"));
    if (result->job_runner) strbuf_addf(&text, " of %s", result->job_runner);
    strbuf_add_plain(&plain, strbuf_text(&text), true);
    for (char *c = plain.text; c && *c; ++c) // what could end the comment of HTML
        if (*c == '-' || *c == '<' || *c == '>') *c = '_';
    const char *ret = arena_format(arena, "<!-- assay: suite %.*s -->",
                                   (int)str_fitting(strbuf_text(&plain), MARK_MAX), strbuf_text(&plain));
    strbuf_fini(&text);
    strbuf_fini(&plain);
    return ret;
}

int comment_body(const struct result *result, const struct comment_links *links, struct arena *arena,
                 struct strbuf *out, struct err *err) {
    const char *mark = comment_mark(result, arena);
    struct report_options options = report_options_default();
    struct strbuf page = {0};
    if (links->job_url) strbuf_addf(&page, "\n[The job and its files](%s)\n", links->job_url);
    options.commit_url = links->commit_url;
    options.limit_bytes = REPORT_COMMENT_BYTES - strlen(mark) - page.length - 1;
    strbuf_addf(out, "%s\n", mark);
    const bool is_printed = report_format_find("markdown")->print(result, &options, out) == 0;
    strbuf_add(out, strbuf_text(&page));
    strbuf_fini(&page);
    return is_printed ? 0 : err_set(err, ERR_INTERNAL, "no memory for the comment");
}

// ---- the host's interface ----

struct posting {
    const struct code_host *host;
    const struct ci_job *job;
    const char *mark;
    struct arena *arena;
    json_t *me;               // whose the token is; NULL: not asked yet, or the host does not say
    bool has_asked;           // who that is
    int64_t found[FOUND_MAX]; // our comments with the mark, the newest last
    size_t found_count;
};

// *ret_status: of the answer; 0: none. ERR_UNAVAILABLE where it is no success.
static int ask(const struct posting *posting, const struct http_request *wanted, int *ret_status,
               struct strbuf *answer, struct err *err) {
    const struct code_host *host = posting->host;
    struct http_request request = *wanted;
    struct curl_end end = {0};
    host->add_headers(posting->job, posting->arena, &request);
    *ret_status = 0;
    TRY(http_request(&request, &end, answer, err));
    const int status = *ret_status = end.status;
    if (status / 100 == 2) return 0;
    return err_set(err, ERR_UNAVAILABLE, "%s answers %d to %s %s: %s%s", host->title, status, request.method,
                   str_shown(request.url).text, str_shown(strbuf_text(answer)).text,
                   status == 401 || status == 403 ? host->token_hint : "");
}

static int ask_document(const struct posting *posting, const char *url, int *ret_status, json_t **ret,
                        struct err *err) {
    const struct http_request request = {.method = "GET", .url = url};
    struct strbuf answer = {0};
    int code = ask(posting, &request, ret_status, &answer, err);
    if (code == 0) code = json_read_text(strbuf_text(&answer), answer.length, posting->host->title, ret, err);
    strbuf_fini(&answer);
    return code < 0 ? err_set(err, ERR_UNAVAILABLE, "%s", arena_strdup(posting->arena, err->text)) : 0;
}

// What this token may not do, or cannot see.
static bool is_refusal(int status) {
    return status == 403 || status == 404;
}

static int find_me(struct posting *posting, struct err *err) {
    int status = 0;
    if (posting->has_asked) return 0;
    const char *url = arena_format(posting->arena, "%s/user", posting->job->api_url);
    const int code = ask_document(posting, url, &status, &posting->me, err);
    if (code < 0 && !is_refusal(status)) return code;
    posting->has_asked = true;
    return 0;
}

static void add_found(struct posting *posting, int64_t comment) {
    if (posting->found_count == FOUND_MAX)
        memmove(posting->found, posting->found + 1, --posting->found_count * sizeof *posting->found);
    posting->found[posting->found_count++] = comment;
}

// Anybody can begin a comment with the mark: only the token's own are taken.
static int find_on_page(struct posting *posting, const json_t *list, struct err *err) {
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t *one = json_array_get(list, i);
        const char *body = json_string_value(json_object_get(one, "body"));
        const json_t *id = json_object_get(one, "id");
        if (!body || !str_starts(body, posting->mark) || !json_is_integer(id)) continue;
        TRY(find_me(posting, err));
        if (posting->host->is_own(one, posting->me)) add_found(posting, json_integer_value(id));
    }
    return 0;
}

static int find_comments(struct posting *posting, struct err *err) {
    size_t count = 100;
    for (unsigned page = 1; page <= PAGES_MAX && count == 100; ++page) {
        const char *url = posting->host->list_url(posting->job, page, posting->arena);
        json_t *list = NULL;
        int status = 0;
        TRY(ask_document(posting, url, &status, &list, err));
        count = json_array_size(list);
        const int code = find_on_page(posting, list, err);
        json_decref(list);
        if (code < 0) return code;
    }
    return 0;
}

static int send_body(const struct posting *posting, const char *method, const char *url, const char *text,
                     int *ret_status, struct err *err) {
    const struct http_request request = {.method = method, .url = url, .body = text};
    struct strbuf answer = {0};
    const int code = ask(posting, &request, ret_status, &answer, err);
    strbuf_fini(&answer);
    return code;
}

// Into the newest of our comments that we may change; else into a new one.
static int send_comment(const struct posting *posting, const char *text, struct err *err) {
    const struct code_host *host = posting->host;
    const struct ci_job *job = posting->job;
    int status = 0;
    for (size_t i = posting->found_count; i-- > 0;) {
        const char *url = host->update_url(job, posting->found[i], posting->arena);
        const int code = send_body(posting, host->update_method, url, text, &status, err);
        if (code == 0 || !is_refusal(status)) return code;
    }
    return send_body(posting, "POST", host->create_url(job, posting->arena), text, &status, err);
}

int comment_post(const struct code_host *host, const struct ci_job *job, const char *mark, const char *body,
                 struct arena *arena, struct err *err) {
    struct posting posting = {.host = host, .job = job, .mark = mark, .arena = arena};
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    json_object_begin(&w, NULL);
    json_write_string(&w, "body", body);
    json_object_end(&w);
    int code = find_comments(&posting, err);
    if (code == 0) code = send_comment(&posting, strbuf_text(&text), err);
    json_decref(posting.me);
    strbuf_fini(&text);
    return code;
}
