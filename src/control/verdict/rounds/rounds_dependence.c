// SPDX-License-Identifier: Apache-2.0
//
// See rounds_dependence.h.
#include "control/verdict/rounds/rounds_dependence.h"

bool rounds_are_dependent(double p) {
    return p <= ROUNDS_DEPENDENCE_P;
}

const char *rounds_dependence_text(const struct serial_correlation *found, struct arena *arena) {
    return arena_format(arena,
                        "rounds are like the ones before them (correlation %.2f, p = %.3f): a state of the "
                        "machine outlives processes, so wrong verdicts may be more frequent than promised",
                        found->lag1, found->p);
}
