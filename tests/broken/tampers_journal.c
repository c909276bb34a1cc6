// SPDX-License-Identifier: Apache-2.0
//
// Adds a line to the journal of its run, empties the plan, and puts a link in the place of the report.
#include "run_folders.h"

static void tamper(const char *folder) {
    char path[1000];
    snprintf(path, sizeof path, "%s/journal.jsonl", folder);
    hostile_append(path, "{\"" HOSTILE_MARK "\":1}\n");
    snprintf(path, sizeof path, "%s/plan.json", folder);
    if (truncate(path, 0) < 0) errno = 0;
    snprintf(path, sizeof path, "%s/report.md", folder);
    if (symlink("../../" HOSTILE_MARK, path) < 0) errno = 0;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    if (b->launches == HOSTILE_CHECKED_LAUNCHES && !is_done++) run_folders(tamper);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
