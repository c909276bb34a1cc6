// SPDX-License-Identifier: Apache-2.0
//
// The table behind gate_rule.h: what each verdict and each event means for exit code, verdict and sentence.
#ifndef VERDICT_GATE_RULE_INTERNAL_H
#define VERDICT_GATE_RULE_INTERNAL_H

#include "verdict/gate_rule.h"

enum gate_event {
    GATE_EVENT_NONE = 0,    // the row is for a verdict: present if some problem has it
    GATE_EVENT_NOTHING,     // no problem was compared on both sides
    GATE_EVENT_OUT_OF_TIME, // limits.gate_s is over
    GATE_EVENT_WRONG_CHECK, // the candidate fails the correctness matrix
    GATE_EVENT_RATCHET,     // a figure of the compiler grew beyond its allowance; the sentence is the tally's
    GATE_EVENT_UNMET,       // an expected improvement is not proved
    GATE_EVENT_UNCHECKED,   // the matrix proves nothing, or not all; the sentence is the tally's
    GATE_EVENT_NOT_JUDGED,  // a known wrong result would have passed the matrix
    GATE_EVENT_REFUSED,     // the calibration rules a decision out
    GATE_EVENT_ACCEPTED,    // regressions that somebody takes on
    GATE_EVENT_STORED_DRAW, // no significant difference against a stored baseline
    GATE_EVENT_COUNT
};

struct gate_row_kind {
    int code; // exit code that the row asks for
    int rank; // the lowest rank decides exit code and verdict; 0: explains a code, never causes it
    const char *headline; // NULL: none, or the tally's own sentence
};

struct gate_row {
    enum gate_event event;
    enum verdict verdict; // the decision's verdict; VERDICT_NONE: that of the next rank with one
    struct gate_row_kind compare, gate;
};

#define GATE_ROW_COUNT 19
extern const struct gate_row gate_rows[GATE_ROW_COUNT];

#endif
