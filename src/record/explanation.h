// SPDX-License-Identifier: Apache-2.0
//
// What moved between two sides, problem by problem: causes with the share of the difference that each can
// account for. It explains a decision and is no part of it.
#ifndef RECORD_EXPLANATION_H
#define RECORD_EXPLANATION_H

#include "record/member.h"

struct explanation_cause {
    const char *metric;             // of the profile, or a figure of the compiler: "bank_conflict_pct"
    const char *sentence, *look_at; // what it means, and where to look; NULL: a figure that moved, no more
    double baseline, candidate;     // NAN: not known
    double change_pct;              // of the candidate's figure; NAN: from nothing
    double share_pct;               // of the difference in time, at most; NAN: cannot be said
};

struct explanation_case {
    const char *problem, *short_name;
    const char *profiler; // which one counted: "CUPTI"; NULL: none
    const char *note;     // why nothing was counted, and what to do; NULL: nothing to say
    double change_pct;    // of the time
    size_t cause_count;
    struct explanation_cause *causes; // the largest share first
    size_t moved_count;
    struct explanation_cause *moved; // other figures that moved, the largest change first
};

struct explanation {
    const char *note; // of all problems: "both sides are the same machine code: ..."; NULL
    size_t case_count;
    struct explanation_case *cases; // the largest change first
};

extern const struct member_table explanation_members;

#endif
