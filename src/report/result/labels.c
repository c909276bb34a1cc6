// SPDX-License-Identifier: Apache-2.0
//
// Labels of sides and outcomes, and the styles of verdicts and exit codes in a report.
#include "report/result/report_parts.h"

#include <string.h>

const char *report_side_label(const struct result *result, const struct report_options *options,
                              enum side_role role, struct arena *arena) {
    const char *given = role == SIDE_BASELINE ? options->base_label : options->cand_label;
    if (given) return given;
    for (size_t i = 0; i < result->side_count; ++i)
        if (result->sides[i].role == role && result->sides[i].label)
            return result_side_name(result, i, arena);
    return side_role_name(role);
}

const struct result_side *report_side_of(const struct result *result, enum side_role role) {
    for (size_t i = 0; i < result->side_count; ++i)
        if (result->sides[i].role == role) return &result->sides[i];
    return NULL;
}

bool report_is_of_revision(const struct result_side *side) {
    const char *label = str_or(side->label, "");
    return str_starts(label, "git:") || strstr(label, REPORT_OF_REVISION "git:");
}

size_t report_hash_length(const char *revision) {
    enum { HASH_MIN = 7 };
    const size_t length = strspn(revision, "0123456789abcdef");
    return length < HASH_MIN ? 0 : length;
}

size_t report_subject(const struct result *result) {
    for (size_t side = 0; side < result->side_count; ++side)
        if (result->sides[side].role == SIDE_CANDIDATE) return side;
    return 0;
}

const char *report_untimed_label(enum outcome outcome) {
    return outcome == OUTCOME_OK || outcome == OUTCOME_NONE ? "not measured" : outcome_name(outcome);
}

enum term_style report_verdict_style(enum verdict verdict) {
    switch (verdict) {
    case VERDICT_IMPROVEMENT:
    case VERDICT_MAINTAINED:
    case VERDICT_SAME_CODE: return TERM_GREEN;
    case VERDICT_REGRESSION:
    case VERDICT_WORSE_BUILD:
    case VERDICT_WRONG: return TERM_RED;
    case VERDICT_NO_DIFFERENCE:
    case VERDICT_UNDECIDABLE:
    case VERDICT_NOT_VALID:
    case VERDICT_REMOVED: return TERM_YELLOW;
    default: return TERM_PLAIN;
    }
}

enum term_style report_exit_style(int exit_code) {
    return exit_code == 0 ? TERM_GREEN : exit_code == 1 ? TERM_RED : TERM_YELLOW;
}
