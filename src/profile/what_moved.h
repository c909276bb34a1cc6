// SPDX-License-Identifier: Apache-2.0
//
// Why one side takes longer than the other: which counters and figures of the compiler moved, ranked by the
// share of the difference that each can account for at most. A pure function; its rules are data
// (moved_rules.c).
#ifndef PROFILE_WHAT_MOVED_H
#define PROFILE_WHAT_MOVED_H

#include "profile/cpu_profile.h"
#include "record/explanation.h"
#include "record/result.h"

struct moved_side {
    const struct profile *profile;         // of a GPU; NULL: nothing was counted there
    const struct cpu_profile *cpu_profile; // of a processor; NULL likewise
    const struct build_report *build;      // NULL: not known
};

// Whether there is nothing to look for: both sides have the same machine code.
bool moved_is_same_code(const struct moved_side *baseline, const struct moved_side *candidate);

// Sets causes and moved of *ret, in the arena. Its change_pct is read: the measured change of the time; NAN,
// or under half a per cent, gives no shares.
void what_moved(const struct moved_side *baseline, const struct moved_side *candidate, struct arena *arena,
                struct explanation_case *ret);

#endif
