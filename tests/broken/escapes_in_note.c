// SPDX-License-Identifier: Apache-2.0
//
// Right, but the note that prepare leaves, and what it prints, clear the terminal, ring, and speak to
// workflow logs, Markdown and HTML.
#define BROKEN_PREPARE prepare_with_note
#include "evil_text.h"
#include "hostile.h"

static int prepare_with_note(const struct assay_problem *problem, const struct assay_env *env, void **state,
                             size_t *workspace_bytes, struct assay_message *message) {
    const int status = broken_prepare(problem, env, state, workspace_bytes, message);
    if (write(1, EVIL_TEXT "\n", sizeof EVIL_TEXT) < 0 || write(2, EVIL_TEXT "\n", sizeof EVIL_TEXT) < 0)
        errno = 0;
    return status == ASSAY_OK ? assay_say(message, status, EVIL_TEXT) : status;
}

BROKEN_KERNEL(broken_launch_right)
