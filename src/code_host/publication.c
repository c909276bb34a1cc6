// SPDX-License-Identifier: Apache-2.0
//
// See publication.h.
#include "code_host/publication.h"
#include "report/formats/report_formats.h"

#include "base/file.h"
#include "code_host/comment.h"
#include "report/result/report.h"

// Why nothing is posted; NULL: it can be. A job without a pull request (a push, a schedule) has nowhere to
// comment, which is no reason to warn: *ret_is_silent.
static const char *why_not_posted(const struct code_host *host, const struct ci_job *job, bool *ret_is_silent,
                                  struct arena *arena) {
    *ret_is_silent = !job->pull_request;
    if (!job->pull_request) return "not a job of a pull request";
    if (!job->api_url || !job->repository)
        return arena_format(arena, "no comment is posted: this is no job of %s", host->title);
    if (!job->token) return arena_format(arena, "no comment is posted: no token%s", host->token_hint);
    return NULL;
}

// comment.md, and report.xml and the like, which a job keeps as its artifacts.
static int write_files(const struct publish_request *request, const struct result *result,
                       const struct strbuf *comment, struct arena *arena, struct err *err) {
    const struct report_options options = report_options_default();
    TRY(file_write_atomic(arena_format(arena, "%s/comment.md", request->run_dir), strbuf_text(comment),
                          comment->length, err));
    for (const char *const *name = request->host->formats; name && *name; ++name) {
        const struct report_format *format = report_format_find(*name);
        const char *path = arena_format(arena, "%s/report%s", request->run_dir, format->suffix);
        struct strbuf text = {0};
        int code = format->print(result, &options, &text);
        if (code < 0) code = err_set(err, ERR_INTERNAL, "no memory for %s", path);
        if (code == 0) code = file_write_atomic(path, strbuf_text(&text), text.length, err);
        strbuf_fini(&text);
        if (code < 0) return code;
    }
    return 0;
}

int code_host_publish(const struct publish_request *request, const struct result *result, struct arena *arena,
                      struct published *ret, struct err *err) {
    const struct code_host *host = request->host;
    struct ci_job job = {0};
    struct strbuf body = {0};
    struct err failure = {0};
    bool is_silent = false;
    *ret = (struct published){0};
    TRY(host->read_job(arena, &job, err));
    if (request->pull_request) job.pull_request = request->pull_request;
    const struct comment_links links = {
        .job_url = code_host_result_url(host, &job, result, arena),
        .commit_url = job.site_url ? arena_format(arena, "%s%s", job.site_url, host->commit_path) : NULL};
    int code = comment_body(result, &links, arena, &body, err);
    if (code == 0 && request->run_dir) code = write_files(request, result, &body, arena, err);
    if (code == 0 && host->write_job)
        code = host->write_job(&job, result, strbuf_text(&body), &ret->commands, err);
    const char *why = why_not_posted(host, &job, &is_silent, arena);
    if (code == 0 && why && !is_silent) ret->warning = why;
    if (code == 0 && !why &&
        comment_post(host, &job, comment_mark(result, arena), strbuf_text(&body), arena, &failure) < 0)
        ret->warning = arena_format(arena, "the comment was not posted: %s", failure.text);
    strbuf_fini(&body);
    return code;
}
