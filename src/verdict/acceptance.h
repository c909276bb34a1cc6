// SPDX-License-Identifier: Apache-2.0
//
// Regressions that somebody takes on, with a reason: they stay regressions, and fail no gate.
#ifndef VERDICT_ACCEPTANCE_H
#define VERDICT_ACCEPTANCE_H

#include "base/arena.h"
#include "record/decision.h"

struct acceptance {
    const char *what;   // a problem, or a figure of gate.ratchet; NULL: all
    const char *reason; // who or what, and why: "commit a1b2c3d: 64-bit offsets"
};

struct acceptances {
    size_t count;
    const struct acceptance *items;
};

// Sets `accepted` of regressions and of figures beyond their ratchets, with a note on each; a note, too, on
// an acceptance of what did not get worse. Returns how many problems were accepted.
size_t acceptances_apply(const struct acceptances *acceptances, struct arena *arena,
                         struct decision *decision);

#endif
