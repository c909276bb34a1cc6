// SPDX-License-Identifier: Apache-2.0
//
// One candidate of the server, judged by an assay of its own: `assay referee` with a scratch folder as its
// TMPDIR, of which nothing is left.
#ifndef CONTROL_FLOW_REFEREE_REFEREE_CHILD_H
#define CONTROL_FLOW_REFEREE_REFEREE_CHILD_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "control/flow/referee/referee_server.h"

// Called several times a second; false: the candidate is dropped.
typedef bool (*referee_goes_on_fn)(void *arg);

// The answer to a request, a line: a document of record/referee_record.h, or one with "error".
void referee_child_judge(const struct referee_server *server, const char *request, size_t length,
                         referee_goes_on_fn goes_on, void *arg, struct strbuf *ret);
void referee_child_error(const char *sentence, int exit_code, struct strbuf *ret);

#endif
