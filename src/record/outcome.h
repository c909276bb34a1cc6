// SPDX-License-Identifier: Apache-2.0
//
// Outcome of one case on one side: data, never an error. A missing case is not a passed one, nor is a
// skipped one.
#ifndef RECORD_OUTCOME_H
#define RECORD_OUTCOME_H

#include <stdbool.h>

enum outcome {
    OUTCOME_NONE = 0,    // not reached yet
    OUTCOME_OK,          // checked and right (and measured, where asked)
    OUTCOME_FAIL,        // wrong: enum finding says how
    OUTCOME_CRASHED,     // the worker died in it (signal, exit)
    OUTCOME_TIMEOUT,     // it ran past the case's deadline
    OUTCOME_UNSUPPORTED, // the kernel said "not mine", with a reason
    OUTCOME_SKIPPED,     // not run because of something before it
    OUTCOME_NOT_VALID,   // ran, but the measurement cannot be used
    OUTCOME_COUNT
};
extern const char *const outcome_names[OUTCOME_COUNT];
// "OK", "FAIL", "CRASHED", "TIMEOUT", "UNSUPPORTED", "SKIPPED", "INVALID"
const char *outcome_name(enum outcome outcome);
enum outcome outcome_parse(const char *name); // OUTCOME_NONE when unknown

bool outcome_is_wrong(enum outcome outcome); // the kernel is to blame: FAIL, CRASHED, TIMEOUT

// How a wrong kernel was detected. tests/broken asserts these.
enum finding {
    FINDING_NONE = 0,
    FINDING_WRONG_VALUE,    // an element beyond atol + rtol |ref|
    FINDING_TWO_X,          // error above twice the same-precision reference's
    FINDING_NOT_A_NUMBER,   // NaN or Inf where the reference has a number, or vice versa
    FINDING_UNWRITTEN,      // poison still in an output element
    FINDING_INPUT_CHANGED,  // an input differs afterwards
    FINDING_OUT_OF_BOUNDS,  // a guard was touched, or a guard page faulted
    FINDING_GAP_WRITTEN,    // the gap of a strided output was written
    FINDING_NOT_REPEATABLE, // same inputs, different output bits
    FINDING_LATE_WORK,      // output still changed after launch had returned
    FINDING_STALE,          // right for other inputs only: a cached result, or work skipped when timed
    FINDING_LAUNCH_FAILED,  // a callback returned an error
    FINDING_FALSE_CLOCK,    // its process timed it otherwise than the judge's clock allows
    FINDING_COUNT
};
extern const char *const finding_names[FINDING_COUNT];
const char *finding_name(enum finding finding); // "wrong_value", "two_x", ...
enum finding finding_parse(const char *name);   // FINDING_NONE when unknown

#endif
