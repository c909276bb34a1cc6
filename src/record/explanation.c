// SPDX-License-Identifier: Apache-2.0
//
// Members of an explanation.
#include "record/explanation.h"

enum { CASES_MAX = 1 << 12, CAUSES_MAX = 64 };

#define CAUSE(m, sentence) MEMBER(struct explanation_cause, #m, m, sentence)
static const struct member cause_list[] = {
    CAUSE(metric, "Of the profile (`bank_conflict_pct`), or of the build (`registers`)."),
    CAUSE(sentence, "What moved, for people."),
    CAUSE(look_at, "Where to look."),
    CAUSE(baseline, "The baseline's value."),
    CAUSE(candidate, "The candidate's."),
    CAUSE(change_pct, "From baseline to candidate; absent: from nothing."),
    CAUSE(share_pct, "Of the difference in time, at most; absent: cannot be said."),
};
static const struct member_table cause_members =
    MEMBER_TABLE(struct explanation_cause, "explanation_cause", cause_list, .sentence = "What moved.");

#define CASE(m, ...) MEMBER(struct explanation_case, #m, m, __VA_ARGS__)
static const struct member case_list[] = {
    CASE(problem, "The problem's name.", MEMBER_REQUIRED),
    CASE(short_name, "`s512`."),
    CASE(profiler, "Which one counted: `CUPTI`."),
    CASE(note, "Why nothing was counted, and what to do."),
    CASE(change_pct, "Of the time; positive: the candidate is slower."),
    MEMBER_LIST(struct explanation_case, "causes", causes, cause_count, &cause_members, CAUSES_MAX,
                "The largest share first.", MEMBER_WRITTEN),
    MEMBER_LIST(struct explanation_case, "moved", moved, moved_count, &cause_members, CAUSES_MAX,
                "Other figures that moved, the largest change first."),
};
static const struct member_table case_members = MEMBER_TABLE(
    struct explanation_case, "explanation_case", case_list, .sentence = "Why a problem takes another time.");

static const struct member members[] = {
    MEMBER(struct explanation, "note", note, "Of all problems: why there is nothing to explain."),
    MEMBER_LIST(struct explanation, "cases", cases, case_count, &case_members, CASES_MAX,
                "The largest change first.", MEMBER_WRITTEN),
};
const struct member_table explanation_members = MEMBER_TABLE(
    struct explanation, "explanation", members,
    .sentence = "What moved between the sides ([profiling.md](profiling.md)); it decides nothing.");
