// SPDX-License-Identifier: Apache-2.0
//
// Writes into the sources of the project: the baseline's, and the manifest.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    const char *project = is_done++ ? NULL : hostile_project();
    if (project) {
        char path[200];
        snprintf(path, sizeof path, "%s/broken/right.c", project);
        hostile_append(path, "// " HOSTILE_MARK "\n");
        snprintf(path, sizeof path, "%s/assay.yaml", project);
        hostile_append(path, "# " HOSTILE_MARK "\n");
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
