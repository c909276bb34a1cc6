// SPDX-License-Identifier: Apache-2.0
//
// The comment of a pull request: one for each suite, device and runner, found again by a hidden mark and
// updated in place. All of it comes from the result, so that a gate's own job and one that publishes it later
// mean the same comment.
#ifndef CODE_HOST_COMMENT_H
#define CODE_HOST_COMMENT_H

#include "code_host/code_host.h"

// "<!-- assay: suite ci on cuda:0 of gpu_runner_3 -->": the first line of the body.
const char *comment_mark(const struct result *result, struct arena *arena);
// NULL: not known.
struct comment_links {
    const char *job_url;    // where the job's files are
    const char *commit_url; // of pages of commits, to which a hash is added
};
// The mark, the report as Markdown, and the links, at most REPORT_COMMENT_BYTES long. ERR_INTERNAL: no
// memory.
int comment_body(const struct result *result, const struct comment_links *links, struct arena *arena,
                 struct strbuf *out, struct err *err);
// Updates the newest of the token's own comments with this mark, else creates one. A comment that the host
// does not let us change (403, 404) is left as it is. ERR_UNAVAILABLE with the host's answer.
int comment_post(const struct code_host *host, const struct ci_job *job, const char *mark, const char *body,
                 struct arena *arena, struct err *err);

#endif
