// SPDX-License-Identifier: Apache-2.0
//
// Why a problem is still open and what would help, in one sentence with numbers: how many rounds would do at
// the spread seen, more samples if they are the noise, a quieter machine if rounds were not valid.
#ifndef CONTROL_VERDICT_ROUNDS_ROUNDS_TEXT_INTERNAL_H
#define CONTROL_VERDICT_ROUNDS_ROUNDS_TEXT_INTERNAL_H

#include "base/arena.h"
#include "control/verdict/rounds/round_medians.h"
#include "control/verdict/rounds/rounds_rule.h"

// A fixed number of rounds (--rounds N) that would probably decide: with 90 % power, if spread and change are
// what they look like. It promises nothing for a machine that changes.
struct rounds_advice {
    bool is_asked;   // the problem is open for want of rounds, not of time
    uint32_t rounds; // 0: none up to ROUNDS_LIMIT
};

// NULL where the verdict needs no words. The sentence lies in the arena.
const char *rounds_text(const struct rounds_finding *finding, const struct round_medians *medians,
                        const struct rounds_options *options, struct arena *arena,
                        struct rounds_advice *ret_advice);

// One line for a suite with several open problems. NULL: fewer, or none that rounds would help. advice[count]
// by problem.
const char *rounds_text_suite(const struct rounds_advice *advice, size_t count, struct arena *arena);

// What would help against rounds that do not count: cooling, fixed clocks, a machine to itself.
const char *rounds_help_text(enum reason invalid_cause);

#endif
