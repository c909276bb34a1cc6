// SPDX-License-Identifier: Apache-2.0
//
// Ratchets: figures of the compiler against what gate.ratchet allows. No measurement takes part. A figure
// that grew beyond its allowance fails a gate; one that shrank is no improvement.
#ifndef VERDICT_RATCHET_RULE_H
#define VERDICT_RATCHET_RULE_H

#include "record/gate_spec.h"
#include "record/result.h"

// Sets the decision's ratchets, one for each figure with an allowance.
void ratchet_judge(const struct ratchets *ratchets, const struct build_report *base,
                   const struct build_report *cand, struct arena *arena, struct decision *decision);

// "the compiler made it worse: registers a thread 64 -> 72"; NULL: every figure held, or was not judged.
const char *ratchet_headline(const struct decision *decision, struct arena *arena);

// A figure with its unit: "64", "4096 bytes", "1.25 s"; "not known".
const char *ratchet_amount_text(double amount, const char *unit, struct arena *arena);

#endif
