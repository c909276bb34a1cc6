// SPDX-License-Identifier: Apache-2.0
//
// See acceptance.h.
#include "verdict/acceptance.h"

#include "verdict/decision_make.h"

static bool is_meant(const struct acceptance *acceptance, const char *name, const char *short_name) {
    return !acceptance->what || str_equal(acceptance->what, name) ||
           (short_name && str_equal(acceptance->what, short_name));
}

static size_t apply(const struct acceptance *acceptance, struct arena *arena, struct decision *decision,
                    size_t *ret_ratchet_count) {
    size_t count = 0;
    *ret_ratchet_count = 0;
    for (size_t i = 0; i < decision->case_count; ++i) {
        struct decision_case *item = &decision->cases[i];
        if (item->verdict != VERDICT_REGRESSION || item->accepted) continue;
        if (!is_meant(acceptance, item->name, item->short_name)) continue;
        item->accepted = acceptance->reason;
        decision_note(decision, arena, "the regression of %s is accepted: %s", decision_case_name(item),
                      acceptance->reason);
        ++count;
    }
    for (size_t i = 0; i < decision->ratchet_count; ++i) {
        struct decision_ratchet *ratchet = &decision->ratchets[i];
        if (ratchet->outcome != RATCHET_WORSE || !is_meant(acceptance, ratchet->figure, NULL)) continue;
        ratchet->outcome = RATCHET_ACCEPTED;
        decision_note(decision, arena, "%s: accepted: %s", ratchet->sentence, acceptance->reason);
        ++*ret_ratchet_count;
    }
    return count;
}

size_t acceptances_apply(const struct acceptances *acceptances, struct arena *arena,
                         struct decision *decision) {
    size_t all = 0;
    for (size_t i = 0; i < acceptances->count; ++i) {
        const struct acceptance *one = &acceptances->items[i];
        size_t ratchet_count = 0;
        const size_t count = apply(one, arena, decision, &ratchet_count);
        if (!count && !ratchet_count && one->what)
            decision_note(decision, arena, "'%s' is accepted (%s), but nothing of that name got worse",
                          one->what, one->reason);
        all += count;
    }
    return all;
}
