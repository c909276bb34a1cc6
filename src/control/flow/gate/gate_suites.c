// SPDX-License-Identifier: Apache-2.0
//
// Compares the suites of both sides and lists what was removed.
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "control/flow/gate/gate_internal.h"
#include "control/verdict/decision_make.h"

// Names of `from` that `in` lacks, comma-separated in the arena; NULL when there are none.
static const char *names_missing(const struct suite *from, const struct suite *in, struct arena *arena) {
    struct strbuf names = {0};
    for (size_t i = 0; i < from->item_count; ++i) {
        const char *name = from->items[i].problem.name;
        bool is_there = false;
        for (size_t k = 0; k < in->item_count && !is_there; ++k)
            is_there = str_equal(in->items[k].problem.name, name);
        if (!is_there) strbuf_addf(&names, "%s%s", names.length ? "," : "", name);
    }
    const char *text = names.length ? arena_strdup(arena, strbuf_text(&names)) : NULL;
    strbuf_fini(&names);
    return text;
}

int gate_compare_suites(struct session *session, size_t base_side, const struct suite *suite,
                        struct plan *plan, struct err *err) {
    const struct session_side *side = &session->sides[base_side];
    bool is_selected_by_hand = session->options.problem || session->options.only;
    if (!side->revision.dir || is_selected_by_hand) return 0;
    const char *gated = side->revision_manifest.gate.suite;
    const char *name = str_or(session->options.suite, str_or(gated, suite->name));
    struct suite before;
    struct err unknown = {0};
    int code = suite_resolve(&side->revision_manifest, name, session->options.dtype, &session->arena, &before,
                             &unknown);
    if (code < 0 && unknown.code != ERR_USAGE) return err_set(err, unknown.code, "%s", unknown.text);
    if (code < 0) return 0; // that revision has no such suite, so nothing can have been removed
    plan->gate.removed_problems = names_missing(&before, suite, &plan->arena);
    plan->gate.added_problems = names_missing(suite, &before, &plan->arena);
    return 0;
}

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
