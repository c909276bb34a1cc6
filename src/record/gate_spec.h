// SPDX-License-Identifier: Apache-2.0
//
// The question put to a gate or a comparison: thresholds, the claim to prove, and what it tolerates. The
// same struct goes from manifest and command line through the plan to the rules.
#ifndef RECORD_GATE_SPEC_H
#define RECORD_GATE_SPEC_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/ratchet.h"

#define REGRESSION_PCT_MAX 1000.0 // that a manifest may set

struct gate_spec {
    double regression_pct, improvement_pct; // 3 and 10, per cent of the baseline's time; NAN: not given
    bool expects_improvement;               // gate --expect improvement[:LIST]
    bool allows_removed;                    // --allow-removed
    bool warns_of_undecided;                // gate.undecided: warn
    bool fails_on_regression_only;          // compare --fail-on regression: exit code 2 becomes 0
    // LIST: comma-separated short or full names, each of which has to be faster; NULL: any one problem has
    // to be
    const char *expected_problems;
    struct ratchets ratchets; // gate.ratchet
};

struct gate_spec gate_spec_default(void); // 3 and 10 per cent, no claim
struct gate_spec gate_spec_none(void);    // thresholds NAN: nothing given on the command line

// Replaces the members of *spec that `given` (the command line) sets.
void gate_spec_override(struct gate_spec *spec, const struct gate_spec *given);

// ERR_USAGE when a given threshold does not lie between 0 and 100 per cent.
int gate_spec_check(const struct gate_spec *spec, struct err *err);

// "improvement" or "improvement:s512,mission" -> expects_improvement, expected_problems (in the arena).
// ERR_USAGE.
int gate_spec_parse_expect(const char *text, struct arena *arena, struct gate_spec *spec, struct err *err);

#endif
