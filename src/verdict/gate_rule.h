// SPDX-License-Identifier: Apache-2.0
//
// From the verdicts of the problems to one verdict, one exit code and one sentence. Exit codes of decisions
// are made here only.
//
//        compare (3 before 1)                        gate (1 before 3)
//   0    maintained, improved                        nothing got worse, or it was accepted
//   1    a regression, a wrong result                a regression, a wrong result, a figure of the compiler
//                                                    beyond its ratchet, an expected improvement that is not
//                                                    proved
//   2    no significant difference                   -
//   3    not valid, a problem removed,               undecidable, not valid, a problem removed, nothing of
//        nothing in common                           the correctness matrix passed or part of it not checked,
//                                                    a known wrong result would have passed it
#ifndef VERDICT_GATE_RULE_H
#define VERDICT_GATE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/decision.h"
#include "record/gate_spec.h"
#include "record/result.h"
#include "verdict/acceptance.h"

enum gate_kind { GATE_INVALID = 0, GATE_COMPARE, GATE_GATE, GATE_COUNT };

struct gate_options {
    enum gate_kind kind;
    struct gate_spec spec; // the thresholds are for the rules, and not read here
};

// Events of the run that count besides the verdicts; {0} for a compare.
struct gate_events {
    const struct result *result; // holds the correctness matrix ...
    uint32_t cand_side;          // ... of this side; NULL: there is none
    bool is_refused;             // not measured: the calibration rules a decision out
    bool is_out_of_time;         // limits.gate_s is over: what is missing was cut, not left out
    bool is_stored_baseline;     // --baseline FILE: classic rule, no significant difference is not worse
    struct acceptances accepted; // what is taken on
};

// Counts from which the exit code follows.
struct gate_tally {
    size_t counts[VERDICT_COUNT];
    size_t accepted_count;    // regressions that are taken on; counts has the others
    size_t unmet_count;       // expected improvements that were not proved
    size_t wrong_check_count; // problems of the correctness matrix that the candidate fails
    // A sentence if the candidate passed nothing of the correctness matrix, or part of it could not be
    // checked; else NULL.
    const char *unchecked;
    bool is_not_judged;      // a known wrong result would have passed the matrix
    const char *worse_build; // the same of figures of the compiler that grew beyond their ratchets
};
int gate_rule_exit_code(const struct gate_tally *tally, const struct gate_options *options,
                        const struct gate_events *events);

// Sets verdict, exit_code and sentence of a decision whose cases, and what was not judged, are set. Adds
// notes on expectations, the correctness matrix, and the limits of a stored baseline. ERR_USAGE: an expected
// problem that the decision does not have.
int gate_rule_apply(const struct gate_options *options, const struct gate_events *events, struct arena *arena,
                    struct decision *decision, struct err *err);

// True: the candidate supports no problem of the correctness matrix, so no measurement can make it pass.
bool gate_rule_is_unchecked(const struct result *result, uint32_t cand_side);
// The decision then, without a measurement.
struct decision gate_rule_unchecked(const struct result *result, const struct gate_spec *spec,
                                    struct arena *arena);
// The decision without a measurement, for two sides with the same machine code.
struct decision gate_rule_same_code(const struct result *result, uint32_t base_side, uint32_t cand_side,
                                    struct arena *arena);

#endif
