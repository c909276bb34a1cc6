// SPDX-License-Identifier: Apache-2.0
//
// What became of one known wrong result of one output (op/mutant.h) in the comparison that a kernel's output
// goes through: `assay fuzz --audit`. Written by the worker.
#ifndef RECORD_AUDIT_RESULT_H
#define RECORD_AUDIT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "record/member.h"

// The mutant's name in the record of an output whose right result does not pass.
#define AUDIT_RIGHT "right"

enum audit_verdict {
    AUDIT_INVALID = 0,
    AUDIT_SAME,     // no wrong result here: the right one, bit for bit
    AUDIT_DETECTED, // the comparison rejects it
    AUDIT_HIDDEN,   // passes, and no tolerance can help: a right kernel's error may be as large
    AUDIT_PASSED,   // passes, with an error larger than a right kernel's may be: the tolerance is too wide
    AUDIT_REFUSED,  // of AUDIT_RIGHT: rounded once, it does not pass: the tolerance is too narrow
    AUDIT_VERDICT_COUNT
};
const char *audit_verdict_name(enum audit_verdict verdict); // "same", "detected", ...

// The part of the comparison that rejected it, in the order in which kernels are checked.
enum audit_rule {
    AUDIT_RULE_NONE = 0,
    AUDIT_RULE_NOT_A_NUMBER, // NaN or infinity where there should be none, or none where there should be
    AUDIT_RULE_ELEMENTS,     // too many elements beyond atol + rtol |ref|, or one far beyond
    AUDIT_RULE_REL_L2,
    AUDIT_RULE_TWO_X,
    AUDIT_RULE_COUNT
};
const char *audit_rule_name(enum audit_rule rule); // "elements", "two_x", ...

// Figures that do not exist are NAN (absent in JSON).
struct audit_result {
    const char *mutant, *summary; // name, and what the wrong kernel did
    const char *output;           // the tensor's name
    const char *ignored_input;    // what the wrong kernel ignores; NULL: it does something else wrong
    enum audit_verdict verdict;
    enum audit_rule rule;
    uint64_t failed_count, element_count;
    double max_abs, rms, rel_l2; // error of the wrong result
    // Error of a right kernel: the plain kernel's (the larger one of its and a single rounding's), or a
    // single rounding's where the operator has no plain kernel.
    double right_max_abs, right_rms;
    bool has_plain;                       // the 2 x rule applies to this output
    double two_x_max_abs, two_x_rms;      // limits of the 2 x rule
    double atol, rtol, min_pass_fraction; // of the tolerance
    double rel_l2_max;
    const char
        *detected_by; // PASSED, HIDDEN: another input distribution with which it is detected; NULL: none is
};

extern const struct member_table audit_result_members;

#endif
