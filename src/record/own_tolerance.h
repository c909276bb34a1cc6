// SPDX-License-Identifier: Apache-2.0
//
// A tolerance of one's own: what a manifest asks of a kernel, or of a suite's problems, in place of the
// operator's rule, and why. Plan, work order and result carry it, and every report shows it.
#ifndef RECORD_OWN_TOLERANCE_H
#define RECORD_OWN_TOLERANCE_H

#include "base/arena.h"
#include "op/operator.h"
#include "record/member.h"

#define OWN_TOLERANCE_ATOL_MAX     1e6
#define OWN_TOLERANCE_RTOL_MAX     0.5 // beyond it zeros would nearly pass for anything
#define OWN_TOLERANCE_MIN_PASS_MIN 0.5

struct own_tolerance {
    double atol, rtol; // NAN: the operator's
    double min_pass;   // share of the elements that must pass; NAN: the operator's
    double max_error;  // of any element, whatever share must pass; NAN: no limit
    bool is_two_x_off; // the 2 x rule does not apply
    const char *why;   // never NULL
};

extern const struct member_table own_tolerance_members;

struct own_tolerance own_tolerance_unknown(void);               // asks for nothing
bool own_tolerance_asks(const struct own_tolerance *tolerance); // for anything
const struct own_tolerance *own_tolerance_copy(struct arena *arena, const struct own_tolerance *tolerance);
// The rule of what is compared by whose tolerance. policy: what the policy of a gate says in its place, which
// may be NULL for none; NULL: no policy decides. own: the kernel's, or a suite's where it decides on one.
// suite: that of the case. NULL, given and returned: the operator's.
const struct own_tolerance *own_tolerance_choose(const struct own_tolerance *const *policy,
                                                 const struct own_tolerance *own,
                                                 const struct own_tolerance *suite);
// Puts what is asked for in place of the operator's rule. own: may be NULL.
void own_tolerance_apply(const struct own_tolerance *own, struct op_tolerance *tolerance);
// "atol 0.002, rtol 0.001, no 2 x rule: V is accumulated in fp16"; NULL for NULL.
const char *own_tolerance_text(const struct own_tolerance *tolerance, struct arena *arena);

#endif
