// SPDX-License-Identifier: Apache-2.0
//
// Problems of the correctness check that a candidate gives up: those that the baseline supports and the
// candidate does not. They are removed, like problems that are timed. Whether a problem is supported depends
// on its shape and memory layout, not on the values in it, so each counts once.
#ifndef VERDICT_REMOVED_CHECKS_H
#define VERDICT_REMOVED_CHECKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "record/decision.h"
#include "record/result.h"

// Indices in result->checks of the problems that a side does not support, into ret, which has room for all.
size_t removed_checks_find(const struct result *result, uint32_t side, size_t *ret);

// What a stored result says of a problem on a side, checked or timed: OK: it supports it; UNSUPPORTED; NONE:
// nothing.
enum outcome removed_checks_stored(const struct result *stored, uint32_t side,
                                   const struct result_case *wanted);

struct removed_checks {
    const struct result *result;
    uint32_t cand_side;
    size_t count;
    const size_t *indices;        // of removed_checks_find
    const enum outcome *baseline; // of each: OK: it supports it; UNSUPPORTED; others: not known
    const char *unknown_reason;   // why
};

// Appends a case with VERDICT_REMOVED for each that the baseline supports, unless the decision has it as
// removed already, and notes of how many it is not known. Call it before gate_rule_apply().
void removed_checks_add(const struct removed_checks *removed, struct arena *arena, struct decision *decision);

#endif
