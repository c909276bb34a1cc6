// SPDX-License-Identifier: Apache-2.0
//
// What `assay history` was asked, and which of it an action reads: an option or a word that has no effect is
// a mistake. "import --dry-run" would import, "prune --side old" would remove the runs of all sides.
#ifndef CONTROL_CMD_HISTORY_OPTIONS_H
#define CONTROL_CMD_HISTORY_OPTIONS_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/err.h"
#include "store/store.h"

enum history_read {
    READS_SUITE = 1 << 0,
    READS_COMMIT = 1 << 1,
    READS_BRANCH = 1 << 2,
    READS_ON = 1 << 3,
    READS_SINCE = 1 << 4,
    READS_PROBLEM = 1 << 5,
    READS_SIDE = 1 << 6,
    READS_LIMIT = 1 << 7,
    READS_FORMAT = 1 << 8,
    READS_JSON = 1 << 9,
    READS_BEFORE = 1 << 10,
    READS_DRY_RUN = 1 << 11,
    READS_RUNS = READS_SUITE | READS_COMMIT | READS_BRANCH | READS_ON | READS_SINCE, // which runs
    READS_RESULTS = READS_RUNS | READS_PROBLEM | READS_SIDE,                         // which results
};

struct history_request {
    struct store_filter filter;
    const char *store_path, *before, *format; // --store, --before, --format
    bool is_json, is_dry_run;
    const char **words; // behind the action
    size_t word_count;
    char since_utc[CLOCK_UTC_BYTES], before_utc[CLOCK_UTC_BYTES];
};

struct history; // of the command

// An action, or a form of one: "profiles" lists them, with a word it shows one.
struct history_action {
    const char *name;
    int (*run)(struct history *h, struct err *err);
    unsigned reads; // of enum history_read
    size_t word_min, word_max;
    const char *takes; // "one run: 'assay history list' has their names"; NULL: no words
    bool may_create;   // the store
};

// The action of this name that fits the words, else the first one; count: there is none.
size_t history_action_find(const struct history_action *actions, size_t count, const char *name,
                           size_t word_count);
// Refuses what the action does not read, and dates that are none; puts dates into their whole form. actions:
// all, to say which of them read an option. ERR_USAGE.
int history_request_check(struct history_request *request, const struct history_action *action,
                          const struct history_action *actions, size_t count, struct err *err);

#endif
