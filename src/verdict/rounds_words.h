// SPDX-License-Identifier: Apache-2.0
//
// Why is a problem still open, and what would help? One sentence for people, with numbers: how many rounds would do at the
// spread seen, more samples where they are the noise, a quieter machine where rounds were not valid.
#ifndef VERDICT_ROUNDS_WORDS_H
#define VERDICT_ROUNDS_WORDS_H

#include "base/arena.h"
#include "verdict/round_medians.h"
#include "verdict/rounds_rule.h"

// NULL where the verdict needs no words. The sentence lies in the arena.
const char *rounds_words(const struct rounds_finding *finding, const struct round_medians *medians,
                         const struct rounds_options *options, struct arena *arena);

// What would help against rounds that do not count: cooling, fixed clocks, a machine to itself.
const char *rounds_help_words(enum reason invalid_cause);

#endif
