// SPDX-License-Identifier: Apache-2.0
//
// The comment of a pull request: one for each suite and runner, found again by a hidden mark and updated in
// place.
#ifndef CONTROL_CODE_HOST_COMMENT_H
#define CONTROL_CODE_HOST_COMMENT_H

#include "control/code_host/code_host.h"

// "<!-- assay: suite ci on gpu-runner-3 -->": the first line of the body.
const char *comment_mark(const struct ci_job *job, const struct result *result, struct arena *arena);
// The mark and the report as Markdown, at most REPORT_COMMENT_BYTES long. ERR_INTERNAL: no memory.
int comment_body(const struct ci_job *job, const struct result *result, struct arena *arena,
                 struct strbuf *out, struct err *err);
// Creates it, or updates the newest with this mark. ERR_UNAVAILABLE with the host's answer.
int comment_post(const struct code_host *host, const struct ci_job *job, const char *mark, const char *body,
                 struct arena *arena, struct err *err);

#endif
