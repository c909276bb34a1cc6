// SPDX-License-Identifier: Apache-2.0
//
// Lists the problems that only the baseline's suite has and that were not measured.
#include <string.h>

#include "base/comma.h"
#include "control/flow/gate/gate_internal.h"
#include "control/verdict/decision_make.h"

void gate_add_removed(struct decision *decision, const char *removed_problems, struct arena *arena) {
    if (!removed_problems || !*removed_problems) return;
    const size_t count = decision->case_count + comma_count(removed_problems);
    struct decision_case *grown = arena_array(arena, count, sizeof *grown);
    if (decision->case_count) memcpy(grown, decision->cases, decision->case_count * sizeof *grown);
    decision->cases = grown;
    struct comma_item name;
    for (const char *at = removed_problems; comma_next(&at, &name);) {
        struct decision_case *item = &grown[decision->case_count++];
        *item = decision_case_empty();
        item->name = arena_strndup(arena, name.text, name.length);
        decision_case_set(item, VERDICT_REMOVED, REASON_NOTHING_IN_COMMON,
                          "only the baseline's suite has it");
        ++decision->counts[VERDICT_REMOVED];
    }
}
