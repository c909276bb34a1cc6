// SPDX-License-Identifier: Apache-2.0
//
// Whose manifest decided a gate against a revision, and where both manifests differ. Plan and result carry
// it; control/plan/policy_merge.h makes it.
#ifndef RECORD_POLICY_H
#define RECORD_POLICY_H

#include <stddef.h>

#include "record/member.h"

enum policy_source {
    POLICY_NONE = 0,
    POLICY_BASELINE,  // the baseline revision's manifest, and what the candidate's has stricter
    POLICY_REQUESTED, // the candidate's: --policy candidate
    POLICY_FIRST,     // the candidate's: the baseline revision has no manifest
    POLICY_SOURCE_COUNT
};

// Names in the arena of whoever made the list.
struct policy_names {
    size_t count;
    const char **items;
};

// A setting in which the manifests differ. Values are texts as a person would write them; NULL: none.
struct policy_change {
    const char *setting; // "gate.regression_pct"
    const char *baseline, *candidate, *used;
    struct policy_names only_baseline, only_candidate; // of a suite: the problems that one side alone has
};

struct policy {
    enum policy_source source;
    const char *revision; // "git:HEAD"
    size_t change_count;
    struct policy_change *changes;
};

const struct policy *policy_copy(struct arena *arena, const struct policy *policy); // NULL stays NULL

extern const struct member_table policy_members;

#endif
