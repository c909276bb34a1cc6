// SPDX-License-Identifier: Apache-2.0
//
// GitLab: notes of a merge request. Its CI reads JUnit and metrics as artifacts, which the job names
// (docs/ci.md), so nothing else is written.
#include "code_host/code_host.h"

static int read_job(struct arena *arena, struct ci_job *ret, struct err *err) {
    (void)err;
    *ret = (struct ci_job){.api_url = code_host_variable("CI_API_V4_URL", arena),
                           .repository = code_host_variable("CI_PROJECT_ID", arena),
                           .pull_request = code_host_variable("CI_MERGE_REQUEST_IID", arena),
                           .token = code_host_variable("ASSAY_GITLAB_TOKEN", arena),
                           .runner = code_host_variable("CI_RUNNER_DESCRIPTION", arena),
                           .site_url = code_host_variable("CI_PROJECT_URL", arena),
                           .id = code_host_variable("CI_JOB_ID", arena)};
    return 0;
}

static const char *create_url(const struct ci_job *job, struct arena *arena) {
    return arena_format(arena, "%s/projects/%s/merge_requests/%s/notes", job->api_url, job->repository,
                        job->pull_request);
}

static const char *list_url(const struct ci_job *job, unsigned page, struct arena *arena) {
    return arena_format(arena, "%s?per_page=100&order_by=created_at&sort=asc&page=%u", create_url(job, arena),
                        page);
}

static const char *update_url(const struct ci_job *job, int64_t comment, struct arena *arena) {
    return arena_format(arena, "%s/%lld", create_url(job, arena), (long long)comment);
}

// Every access token says whose it is; a token that does not may edit no other's note.
static bool is_own(const json_t *comment, const json_t *me) {
    const json_t *author = json_object_get(comment, "author"), *id = json_object_get(me, "id");
    if (!me) return true;
    return json_is_integer(id) && json_integer_value(id) == json_integer_value(json_object_get(author, "id"));
}

static const char *job_url(const char *site_url, const char *id, struct arena *arena) {
    return arena_format(arena, "%s/-/jobs/%s", site_url, id);
}

static void add_headers(const struct ci_job *job, struct arena *arena, struct http_request *request) {
    request->headers[0] = "Content-Type: application/json";
    request->headers[1] = arena_format(arena, "PRIVATE-TOKEN: %s", job->token);
}

const struct code_host code_host_gitlab = {
    .name = "gitlab",
    .title = "GitLab",
    .token_hint = "; ASSAY_GITLAB_TOKEN takes a project access token with scope api",
    .job_variable = "GITLAB_CI",
    .attempt_variable = "CI_JOB_RETRY_COUNT", // of 2026; an older GitLab does not count
    .first_attempt = 0,
    .read_job = read_job,
    .list_url = list_url,
    .create_url = create_url,
    .update_url = update_url,
    .update_method = "PUT",
    .is_own = is_own,
    .job_url = job_url,
    .commit_path = "/-/commit/",
    .add_headers = add_headers,
};
