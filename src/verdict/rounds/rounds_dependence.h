// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule takes rounds as independent. Says whether these are: a state of the machine that outlives
// processes (a clock, a neighbour) makes each round like the one before, and then error rates are not those
// of docs/promises.md. Ten rounds show it rarely, so the rounds of earlier gates on the device count as well.
#ifndef VERDICT_ROUNDS_ROUNDS_DEPENDENCE_H
#define VERDICT_ROUNDS_ROUNDS_DEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "record/decision.h"
#include "stats/serial_correlation.h"
#include "verdict/rounds/rounds_rule.h"

#define ROUNDS_DEPENDENCE_P 0.01 // so often a warning is false, at most
#define ROUNDS_SIGN_P       0.1  // a sign, which costs rounds and says nothing
// A change of so many standard deviations between rounds is beyond what a state that they share can feign.
#define ROUNDS_EXPOSED_SD 10.0

// d_r of earlier gates on the device: a session each, numbered from 1.
struct rounds_evidence {
    const struct serial_series *series;
    size_t count;
};

bool rounds_are_dependent(double p); // of serial_correlation_test on d_r; NAN: false

// The test on the first round_count rounds of a gate's problems (session 0) together with earlier ones (NULL:
// none). -1: no memory.
int rounds_dependence_find(const struct serial_series *own, size_t own_count,
                           const struct rounds_evidence *earlier, size_t round_count,
                           struct serial_correlation *ret);

// Sets options->has_signs for each look that the rounds reach. -1: no memory.
int rounds_dependence_look(const struct serial_series *own, size_t own_count,
                           const struct rounds_evidence *earlier, struct rounds_options *options);

// A warning about rounds that are dependent; lives in the arena.
const char *rounds_dependence_text(const struct serial_correlation *found, struct arena *arena);

// Whether a verdict of the decision could be made by such a state: a change is called, and it is not far
// beyond the spread.
bool rounds_are_exposed(const struct decision *decision);

#endif
