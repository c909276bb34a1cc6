// SPDX-License-Identifier: Apache-2.0
//
// See gate_family.h.
#include "flow/gate_family.h"

#include "base/strbuf.h"
#include "verdict/decision_case.h"

#include <string.h>

static bool has_problem(const struct suite *suite, const struct problem *problem) {
    for (size_t i = 0; i < suite->item_count; ++i)
        if (str_equal(suite->items[i].problem.name, problem->name)) return true;
    return false;
}

int gate_find_removed(struct session *session, size_t base_side, const struct suite *suite, struct plan *plan,
                      struct err *err) {
    const struct session_side *side = &session->sides[base_side];
    bool is_selected_by_hand = session->options.problem || session->options.only;
    if (!side->revision.dir || is_selected_by_hand) return 0;
    struct suite before;
    struct err unknown = {0};
    if (suite_resolve(&side->revision_manifest, suite->name, session->options.dtype, &session->arena, &before, &unknown) < 0)
        return unknown.code == ERR_USAGE ? 0 : err_set(err, unknown.code, "%s", unknown.text); // a new suite: none is gone
    struct strbuf names = {0};
    for (size_t i = 0; i < before.item_count; ++i) {
        const struct suite_item *item = &before.items[i];
        if (has_problem(suite, &item->problem)) continue;
        strbuf_addf(&names, "%s%s", names.length ? "," : "", item->problem.name);
    }
    if (names.length) plan->removed_problems = arena_strdup(&plan->arena, strbuf_text(&names));
    strbuf_fini(&names);
    return 0;
}

void gate_add_removed(struct decision *decision, const char *removed_problems, struct arena *arena) {
    for (const char *name = removed_problems; name && *name;) {
        size_t length = strcspn(name, ",");
        struct decision_case *grown = arena_array(arena, decision->case_count + 1, sizeof *grown);
        if (decision->case_count) memcpy(grown, decision->cases, decision->case_count * sizeof *grown);
        struct decision_case *item = &grown[decision->case_count];
        *item = decision_case_empty();
        item->name = arena_strndup(arena, name, length);
        decision_case_set(item, VERDICT_REMOVED, REASON_NOTHING_IN_COMMON, "only the baseline's suite has it");
        decision->cases = grown;
        ++decision->case_count;
        ++decision->counts[VERDICT_REMOVED];
        name += length + (name[length] == ',');
    }
}
