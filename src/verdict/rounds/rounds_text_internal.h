// SPDX-License-Identifier: Apache-2.0
//
// One sentence on why a problem is still open and what would help: how many rounds would be enough at the
// spread measured, more samples if they cause the noise, a quieter machine if rounds were not valid.
#ifndef VERDICT_ROUNDS_ROUNDS_TEXT_INTERNAL_H
#define VERDICT_ROUNDS_ROUNDS_TEXT_INTERNAL_H

#include "base/arena.h"
#include "verdict/round_medians.h"
#include "verdict/rounds/rounds_rule.h"

// A fixed number of rounds (--rounds N) that decides with 90 % power, if spread and change are as estimated.
// No promise for a machine that changes.
struct rounds_advice {
    bool is_asked;   // the problem lacks rounds, not time
    uint32_t rounds; // 0: none up to ROUNDS_LIMIT
};

// NULL if the verdict needs no explanation. The sentence lives in the arena.
const char *rounds_text(const struct rounds_finding *finding, const struct round_medians *medians,
                        const struct rounds_options *options, struct arena *arena,
                        struct rounds_advice *ret_advice);

// One line for a suite with several open problems; advice[count]: one entry a problem. NULL: fewer than two
// are open, or more rounds would help none.
const char *rounds_text_suite(const struct rounds_advice *advice, size_t count, struct arena *arena);

// What would help against rounds that do not count: cooling, fixed clocks, a machine to itself.
const char *rounds_help_text(enum reason invalid_cause);

#endif
