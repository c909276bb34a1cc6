// SPDX-License-Identifier: Apache-2.0
//
// Where pull requests are: GitHub, GitLab. A gate publishes its result there (publication.h). A new host is
// one file and a line of the table in code_host.c. What it publishes is text of kernels and problems of any
// origin: all of it is escaped for its place.
#ifndef CODE_HOST_CODE_HOST_H
#define CODE_HOST_CODE_HOST_H

#include "base/arena.h"
#include "base/json.h"
#include "code_host/http_request.h"
#include "record/result.h"

// The job that we run in, as its environment variables describe it. NULL: not known.
struct ci_job {
    const char *api_url;                    // "https://api.github.com"
    const char *repository;                 // "owner/name"; of GitLab the project's number
    const char *pull_request;               // its number
    const char *token;                      // that may write comments
    const char *runner;                     // "gpu-runner-3"
    const char *site_url;                   // of the repository's pages
    const char *id;                         // the number of the job's page
    const char *summary_path, *output_path; // files that the host reads (GitHub)
};

struct code_host {
    const char *name;       // "github"
    const char *title;      // "GitHub"
    const char *token_hint; // how a job gets a token that may comment
    // The variable that is "true" in its jobs, the one that counts attempts of a job, and its value in the
    // first.
    const char *job_variable, *attempt_variable;
    unsigned first_attempt;
    // From the environment. ERR_DATA: the event's file cannot be read.
    int (*read_job)(struct arena *arena, struct ci_job *ret, struct err *err);
    // The page-th hundred of comments (from 1), a new comment, an existing one.
    const char *(*list_url)(const struct ci_job *job, unsigned page, struct arena *arena);
    const char *(*create_url)(const struct ci_job *job, struct arena *arena);
    const char *(*update_url)(const struct ci_job *job, int64_t comment, struct arena *arena);
    const char *update_method;
    // Whether a comment of the list is the token's own. me: who that is; NULL: the host does not say.
    bool (*is_own)(const json_t *comment, const json_t *me);
    // The page of a job of the repository, in the arena.
    const char *(*job_url)(const char *site_url, const char *id, struct arena *arena);
    const char *commit_path; // of a commit's page below the repository's, before its hash: "/commit/"
    void (*add_headers)(const struct ci_job *job, struct arena *arena, struct http_request *request);
    // What the host's CI reads besides: annotations, outputs, a summary. NULL: nothing.
    int (*write_job)(const struct ci_job *job, const struct result *result, const char *report,
                     struct strbuf *out, struct err *err);
    const char *const *formats; // reports that its CI reads as files, by name, up to NULL; NULL: none
};

extern const struct code_host code_host_github, code_host_gitlab;
const struct code_host *code_host_find(const char *name); // NULL: unknown
// Of the environment, in the arena. NULL: not there, or empty.
const char *code_host_variable(const char *name, struct arena *arena);
// The page of the job that we run in, whichever host's it is, in the arena. NULL: not known.
const char *code_host_run_url(struct arena *arena);
// The page of the job that made a result, in the arena. NULL: it does not say, or was no job of this host.
const char *code_host_result_url(const struct code_host *host, const struct ci_job *job,
                                 const struct result *result, struct arena *arena);
// Writes the job that we run in into a result: who publishes it later runs in another one.
void code_host_state_job(struct result *result);
// How often the job that we run in was run before, as its host says, on whichever machine: a hosted runner
// forgets. *ret_host: whose job it is, if it is not 0. What no host would say is 0.
uint32_t code_host_earlier_attempts(const struct code_host **ret_host);
// Whether text is the number of a pull request, a job and the like, which may stand in a URL.
bool code_host_is_number(const char *text);

#endif
