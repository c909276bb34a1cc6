// SPDX-License-Identifier: Apache-2.0
//
// Names of causes in journals and documents.
#include "record/invalid_cause.h"

#include <string.h>

const char *const invalid_cause_names[INVALID_CAUSE_COUNT] = {
    [INVALID_CAUSE_NONE] = "none",
    [INVALID_CAUSE_BUSY] = "busy",
    [INVALID_CAUSE_THROTTLED] = "throttled",
    [INVALID_CAUSE_OTHER_PROCESS] = "other_process",
    [INVALID_CAUSE_CLOCKS_APART] = "clocks_apart",
    [INVALID_CAUSE_TOO_FEW_SAMPLES] = "too_few_samples",
    [INVALID_CAUSE_STRAY_WRITE] = "stray_write",
    [INVALID_CAUSE_WORKER_DIED] = "worker_died",
    [INVALID_CAUSE_NOT_COLD] = "not_cold",
    [INVALID_CAUSE_COARSE_TIMER] = "coarse_timer",
    [INVALID_CAUSE_KILLED_FROM_OUTSIDE] = "killed_from_outside",
};

const char *invalid_cause_name(enum invalid_cause cause) {
    return (unsigned)cause < INVALID_CAUSE_COUNT ? invalid_cause_names[cause] : "none";
}

enum invalid_cause invalid_cause_parse(const char *name) {
    if (name && strcmp(name, INVALID_CAUSE_OTHER_PROCESS_FORMER) == 0) return INVALID_CAUSE_OTHER_PROCESS;
    for (int i = 1; i < INVALID_CAUSE_COUNT; ++i) {
        if (name && strcmp(invalid_cause_names[i], name) == 0) return (enum invalid_cause)i;
    }
    return INVALID_CAUSE_NONE;
}
