// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads what became of a wrong result. Figures that do not exist are absent.
#include "record/audit_result.h"

static const char *const verdict_names[AUDIT_VERDICT_COUNT] = {
    [AUDIT_INVALID] = "invalid", [AUDIT_SAME] = "same",     [AUDIT_DETECTED] = "detected",
    [AUDIT_HIDDEN] = "hidden",   [AUDIT_PASSED] = "passed", [AUDIT_REFUSED] = "refused",
};

static const char *const rule_names[AUDIT_RULE_COUNT] = {
    [AUDIT_RULE_NONE] = "none",         [AUDIT_RULE_NOT_A_NUMBER] = "not_a_number",
    [AUDIT_RULE_ELEMENTS] = "elements", [AUDIT_RULE_REL_L2] = "rel_l2",
    [AUDIT_RULE_TWO_X] = "two_x",
};

const char *audit_verdict_name(enum audit_verdict verdict) {
    return (unsigned)verdict < AUDIT_VERDICT_COUNT ? verdict_names[verdict] : "invalid";
}

const char *audit_rule_name(enum audit_rule rule) {
    return (unsigned)rule < AUDIT_RULE_COUNT ? rule_names[rule] : "none";
}

#define FIGURE(name, sentence) MEMBER(struct audit_result, #name, name, sentence, MEMBER_AT_LEAST(0))
static const struct member members[] = {
    MEMBER(struct audit_result, "wrong_result", mutant, "Name.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct audit_result, "summary", summary, "What the wrong kernel did."),
    MEMBER(struct audit_result, "output", output, "Name of the output.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct audit_result, "ignored_input", ignored_input,
           "The input, in-out tensor or scalar that the wrong kernel ignores."),
    MEMBER_NAMED(struct audit_result, "verdict", verdict, verdict_names, "What the comparison says of it.",
                 MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER_NAMED(struct audit_result, "rule", rule, rule_names, "The rule that rejects it.",
                 MEMBER_ZERO_NAMED),
    MEMBER(struct audit_result, "failed_count", failed_count, "Elements beyond the tolerance.",
           MEMBER_WRITTEN),
    MEMBER(struct audit_result, "element_count", element_count, "Elements.", MEMBER_WRITTEN),
    FIGURE(max_abs, "Error of the wrong result."),
    FIGURE(rms, "The same."),
    FIGURE(rel_l2, "The same."),
    FIGURE(right_max_abs, "Error of a right kernel."),
    FIGURE(right_rms, "The same."),
    FIGURE(two_x_max_abs, "Limit of the 2 x rule."),
    FIGURE(two_x_rms, "The same."),
    FIGURE(atol, "Of the tolerance; absent: a function `accept` decides."),
    FIGURE(rtol, "Of the tolerance."),
    FIGURE(min_pass_fraction, "Of the tolerance."),
    FIGURE(rel_l2_max, "Of the tolerance."),
    MEMBER(struct audit_result, "has_plain", has_plain, "The 2 x rule applies.", MEMBER_WRITTEN),
    MEMBER(struct audit_result, "detected_by", detected_by,
           "An input distribution with which it is detected."),
};
const struct member_table audit_result_members = MEMBER_TABLE(struct audit_result, "audit_result", members, );
