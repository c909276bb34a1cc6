// SPDX-License-Identifier: Apache-2.0
//
// Names of outcomes and findings in documents. worker/check/ and control/exec/ produce them.
#include "record/outcome.h"

#include <stddef.h>
#include <string.h>

const char *const outcome_names[OUTCOME_COUNT] = {
    [OUTCOME_NONE] = "NONE",       [OUTCOME_OK] = "OK",
    [OUTCOME_FAIL] = "FAIL",       [OUTCOME_CRASHED] = "CRASHED",
    [OUTCOME_TIMEOUT] = "TIMEOUT", [OUTCOME_UNSUPPORTED] = "UNSUPPORTED",
    [OUTCOME_SKIPPED] = "SKIPPED", [OUTCOME_NOT_VALID] = "INVALID",
};

const char *const finding_names[FINDING_COUNT] = {
    [FINDING_NONE] = "none",
    [FINDING_WRONG_VALUE] = "wrong_value",
    [FINDING_TWO_X] = "two_x",
    [FINDING_NOT_A_NUMBER] = "not_a_number",
    [FINDING_UNWRITTEN] = "unwritten",
    [FINDING_INPUT_CHANGED] = "input_changed",
    [FINDING_OUT_OF_BOUNDS] = "out_of_bounds",
    [FINDING_GAP_WRITTEN] = "gap_written",
    [FINDING_NOT_REPEATABLE] = "not_repeatable",
    [FINDING_LATE_WORK] = "late_work",
    [FINDING_STALE] = "stale",
    [FINDING_LAUNCH_FAILED] = "launch_failed",
    [FINDING_FALSE_CLOCK] = "false_clock",
};

static int find_name(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; ++i) {
        if (name && strcmp(names[i], name) == 0) return i;
    }
    return 0;
}

const char *outcome_name(enum outcome outcome) {
    return (unsigned)outcome < OUTCOME_COUNT ? outcome_names[outcome] : "NONE";
}

enum outcome outcome_parse(const char *name) {
    return (enum outcome)find_name(outcome_names, OUTCOME_COUNT, name);
}

bool outcome_is_wrong(enum outcome outcome) {
    return outcome == OUTCOME_FAIL || outcome == OUTCOME_CRASHED || outcome == OUTCOME_TIMEOUT;
}

const char *finding_name(enum finding finding) {
    return (unsigned)finding < FINDING_COUNT ? finding_names[finding] : "none";
}

enum finding finding_parse(const char *name) {
    return (enum finding)find_name(finding_names, FINDING_COUNT, name);
}
