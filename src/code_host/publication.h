// SPDX-License-Identifier: Apache-2.0
//
// Publishing the result of a gate: a comment that is updated in place, and what the host's own CI reads.
#ifndef CODE_HOST_PUBLICATION_H
#define CODE_HOST_PUBLICATION_H

#include "code_host/code_host.h"

struct publish_request {
    const struct code_host *host;
    const char *pull_request; // over the job's; NULL: the job's
    const char *run_dir;      // where comment.md and the host's reports are written; NULL: nowhere
};

struct published {
    struct strbuf commands; // for the job's runner to obey; the caller frees
    const char *warning;    // in the arena; NULL: all went well
};

// Of a result with summaries. A host that does not answer, or a job without a token, is a warning, never an
// error: a verdict does not depend on it.
int code_host_publish(const struct publish_request *request, const struct result *result, struct arena *arena,
                      struct published *ret, struct err *err);

#endif
