// SPDX-License-Identifier: Apache-2.0
//
// Rules on build settings: "BLOCK_M % NUM_WARPS == 0", "4 * STAGES * BLOCK_N * 64 <= 101376". Two sums of
// whole numbers and names, with + - * / % and parentheses, and one of == != < <= > >= between them. 64 bits.
#ifndef CONTROL_PLAN_CONFIG_RULE_H
#define CONTROL_PLAN_CONFIG_RULE_H

#include <stdbool.h>

#include "control/plan/manifest_types.h"

// Whether the text is a rule. ERR_CONFIG with the column.
int config_rule_check(const char *rule, struct err *err);
// Whether it holds with these settings. ERR_CONFIG: no rule, or a name that is not among them. Division by
// zero and overflow: it does not hold.
int config_rule_holds(const char *rule, const struct manifest_setting *settings, size_t count, bool *ret,
                      struct err *err);

#endif
