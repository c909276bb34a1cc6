// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule takes rounds as independent. Says whether these are: a state of the machine that outlives
// processes (a clock, a neighbour) makes each round like the one before, and then error rates are not those
// of docs/promises.md.
#ifndef CONTROL_VERDICT_ROUNDS_ROUNDS_DEPENDENCE_H
#define CONTROL_VERDICT_ROUNDS_ROUNDS_DEPENDENCE_H

#include <stdbool.h>

#include "base/arena.h"
#include "stats/serial_correlation.h"

#define ROUNDS_DEPENDENCE_P 0.01 // so often a warning is false, at most

bool rounds_are_dependent(double p); // of serial_correlation_test on d_r; NAN: false

// A warning about rounds that are; lives in the arena.
const char *rounds_dependence_text(const struct serial_correlation *found, struct arena *arena);

#endif
