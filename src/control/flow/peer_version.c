// SPDX-License-Identifier: Apache-2.0
//
// See peer_version.h.
#include "control/flow/peer_version.h"

#include <stdlib.h>

#include "control/exec/python_program.h"
#include "control/flow/worker_query.h"

const char *peer_version_find(struct session *session, const struct op_peer *peer) {
    const struct manifest *manifest = &session->manifest;
    struct result_side side = {.label = peer->name, .python = peer->python};
    const struct query_side query = {.side = &side, .isolation = session->options.sampling.isolation};
    struct kernel_description description = {0};
    struct err ignored = {0};
    char *interpreter = NULL;
    if (!peer->python)
        side.kernel_name = peer->name;
    else if (python_program_find(manifest->python_interpreter, manifest->dir, &interpreter, &ignored) < 0)
        return NULL;
    side.python_interpreter = interpreter;
    const int code = query_kernel(&query, &session->arena, &description, &ignored);
    free(interpreter);
    return code < 0 ? NULL : description.version;
}
