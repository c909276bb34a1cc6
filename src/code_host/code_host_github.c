// SPDX-License-Identifier: Apache-2.0
//
// GitHub: comments of a pull request, annotations and outputs of a job, its summary. Formats: GitHub's
// "Workflow commands for GitHub Actions" and the REST API's "Issue comments".
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json.h"
#include "code_host/code_host.h"
#include "report/export/alert_list.h"

#define ANNOTATIONS_MAX 10 // of a level, of a step; GitHub shows no more

// ---- the job ----

// The number of the pull request in the event: of pull_request itself, or of the run that a workflow_run
// follows, if GitHub says it (not for forks; then --pull-request names it).
static const char *pull_request_of(const json_t *event, struct arena *arena) {
    const json_t *pull = json_object_get(event, "pull_request");
    const json_t *run = json_object_get(event, "workflow_run");
    if (!pull) pull = json_array_get(json_object_get(run, "pull_requests"), 0);
    const json_t *number = json_object_get(pull, "number");
    return json_is_integer(number) ? arena_format(arena, "%lld", (long long)json_integer_value(number))
                                   : NULL;
}

static int read_job(struct arena *arena, struct ci_job *ret, struct err *err) {
    const char *event_path = code_host_variable("GITHUB_EVENT_PATH", arena);
    const char *server = code_host_variable("GITHUB_SERVER_URL", arena);
    *ret = (struct ci_job){.api_url = code_host_variable("GITHUB_API_URL", arena),
                           .repository = code_host_variable("GITHUB_REPOSITORY", arena),
                           .token = code_host_variable("GITHUB_TOKEN", arena),
                           .runner = code_host_variable("RUNNER_NAME", arena),
                           .id = code_host_variable("GITHUB_RUN_ID", arena),
                           .summary_path = code_host_variable("GITHUB_STEP_SUMMARY", arena),
                           .output_path = code_host_variable("GITHUB_OUTPUT", arena)};
    if (server && ret->repository) ret->site_url = arena_format(arena, "%s/%s", server, ret->repository);
    if (!event_path) return 0;
    json_t *event = NULL;
    TRY(json_read_file(event_path, &event, err));
    ret->pull_request = pull_request_of(event, arena);
    json_decref(event);
    return 0;
}

// ---- comments ----

static const char *create_url(const struct ci_job *job, struct arena *arena) {
    return arena_format(arena, "%s/repos/%s/issues/%s/comments", job->api_url, job->repository,
                        job->pull_request);
}

static const char *list_url(const struct ci_job *job, unsigned page, struct arena *arena) {
    return arena_format(arena, "%s?per_page=100&page=%u", create_url(job, arena), page);
}

static const char *update_url(const struct ci_job *job, int64_t comment, struct arena *arena) {
    return arena_format(arena, "%s/repos/%s/issues/comments/%lld", job->api_url, job->repository,
                        (long long)comment);
}

// An app's token, as a job's is, may not ask who it is: then what an app wrote is ours.
static bool is_own(const json_t *comment, const json_t *me) {
    const json_t *author = json_object_get(comment, "user"), *id = json_object_get(me, "id");
    if (!me) return str_equal(json_string_value(json_object_get(author, "type")), "Bot");
    return json_is_integer(id) && json_integer_value(id) == json_integer_value(json_object_get(author, "id"));
}

static const char *job_url(const char *site_url, const char *id, struct arena *arena) {
    return arena_format(arena, "%s/actions/runs/%s", site_url, id);
}

static void add_headers(const struct ci_job *job, struct arena *arena, struct http_request *request) {
    request->headers[0] = "Accept: application/vnd.github+json";
    request->headers[1] = "X-GitHub-Api-Version: 2022-11-28";
    request->headers[2] = "Content-Type: application/json";
    request->headers[3] = "User-Agent: assay";
    request->headers[4] = arena_format(arena, "Authorization: Bearer %s", job->token);
}

// ---- annotations ----

// Workflow commands end at a newline; properties at ',' and ':', too.
static void add_escaped(struct strbuf *out, const char *text, bool is_property) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, text, true);
    for (const char *c = strbuf_text(&plain); *c; ++c) {
        const bool is_special = *c == '%' || (is_property && (*c == ',' || *c == ':'));
        strbuf_addf(out, is_special ? "%%%02X" : "%c", (unsigned char)*c);
    }
    strbuf_fini(&plain);
}

static const char *const levels[SEVERITY_COUNT] = {
    [SEVERITY_NOTE] = "notice", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};

static void add_annotation(const struct alert *alert, struct strbuf *out) {
    strbuf_addf(out, "::%s title=", levels[alert->severity]);
    add_escaped(out, alert->title, true);
    if (alert->place.path) {
        strbuf_add(out, ",file=");
        add_escaped(out, alert->place.path, true);
        strbuf_addf(out, ",line=%d", alert->place.line > 0 ? alert->place.line : 1);
    }
    strbuf_add(out, "::");
    add_escaped(out, alert->message, false);
    strbuf_add_char(out, '\n');
}

static void add_annotations(const struct decision *decision, struct arena *arena, struct strbuf *out) {
    const struct alert *alerts = NULL;
    const size_t count = alert_list(decision, arena, &alerts);
    size_t counts[SEVERITY_COUNT] = {0};
    for (size_t i = 0; i < count; ++i)
        if (++counts[alerts[i].severity] <= ANNOTATIONS_MAX) add_annotation(&alerts[i], out);
}

// ---- outputs ----

static void add_output(struct strbuf *out, const char *name, const char *value) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, str_or(value, ""), true); // one line, so that it adds no other output
    strbuf_addf(out, "%s=%s\n", name, strbuf_text(&plain));
    strbuf_fini(&plain);
}

static void add_outputs(const struct result *result, struct arena *arena, struct strbuf *out) {
    const struct decision *decision = result->decision;
    add_output(out, "verdict", verdict_name(decision->verdict));
    add_output(out, "exit-code", arena_format(arena, "%d", decision->exit_code));
    add_output(out, "regressions", arena_format(arena, "%zu", decision->counts[VERDICT_REGRESSION]));
    if (isfinite(decision->geomean_speedup)) // no problem has a time: no figure
        add_output(out, "geomean-speedup", arena_format(arena, "%.4f", decision->geomean_speedup));
    add_output(out, "run", result->run_id);
}

static int append(const char *path, const char *text, struct err *err) {
    FILE *file = fopen(path, "a");
    const bool is_written = file && fputs(text, file) != EOF;
    if (!(file && fclose(file) != EOF && is_written))
        return err_set_errno(err, ERR_CREATE, "cannot add to '%s'", str_shown(path).text);
    return 0;
}

static int write_job(const struct ci_job *job, const struct result *result, const char *report,
                     struct strbuf *out, struct err *err) {
    struct arena arena = {0};
    struct strbuf outputs = {0};
    int code = 0;
    if (result->decision) add_annotations(result->decision, &arena, out);
    if (result->decision) add_outputs(result, &arena, &outputs);
    if (job->output_path && outputs.length) code = append(job->output_path, outputs.text, err);
    if (code == 0 && job->summary_path) code = append(job->summary_path, report, err);
    strbuf_fini(&outputs);
    arena_fini(&arena);
    return code;
}

static const char *const formats[] = {"junit", "sarif", NULL};

const struct code_host code_host_github = {
    .name = "github",
    .title = "GitHub",
    .token_hint = "; GITHUB_TOKEN needs pull-requests: write, which jobs of forks do not get (docs/ci.md)",
    .job_variable = "GITHUB_ACTIONS",
    .attempt_variable = "GITHUB_RUN_ATTEMPT",
    .first_attempt = 1,
    .read_job = read_job,
    .list_url = list_url,
    .create_url = create_url,
    .update_url = update_url,
    .update_method = "PATCH",
    .is_own = is_own,
    .job_url = job_url,
    .commit_path = "/commit/",
    .add_headers = add_headers,
    .write_job = write_job,
    .formats = formats,
};
