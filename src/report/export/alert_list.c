// SPDX-License-Identifier: Apache-2.0
#include "report/export/alert_list.h"

#include "report/result/figure_text.h"

static struct alert of_case(const struct decision_case *item, struct arena *arena) {
    const char *change = figure_change(item, arena), *verdict = verdict_text(item->verdict);
    return (struct alert){.severity = decision_case_severity(item),
                          .rule = verdict_name(item->verdict),
                          .subject = item->name,
                          .title = arena_format(arena, "%s: %s", decision_case_name(item), verdict),
                          .message = str_or(item->sentence, *change ? change : verdict),
                          .accepted = str_or(item->accepted, item->let_through),
                          .place = item->place};
}

static struct alert of_ratchet(const struct decision_ratchet *ratchet, struct arena *arena) {
    const char *verdict = verdict_text(VERDICT_WORSE_BUILD);
    return (struct alert){.severity = decision_ratchet_severity(ratchet),
                          .rule = verdict_name(VERDICT_WORSE_BUILD),
                          .subject = ratchet->figure,
                          .title = arena_format(arena, "%s: %s", ratchet->figure, verdict),
                          .message = str_or(ratchet->sentence, verdict),
                          .accepted = ratchet->outcome == RATCHET_ACCEPTED ? ratchet->sentence : NULL,
                          .place = ratchet->place};
}

static struct alert of_claim(const struct decision *decision) {
    return (struct alert){.severity = SEVERITY_ERROR,
                          .rule = reason_name(REASON_EXPECTED_IMPROVEMENT),
                          .subject = str_or(decision->claim, "improvement"),
                          .title = "claimed improvement: not proved",
                          .message = decision->unmet,
                          .place = decision->place};
}

size_t alert_list(const struct decision *decision, struct arena *arena, const struct alert **ret) {
    struct alert *list = arena_array(arena, decision->case_count + decision->ratchet_count + 1, sizeof *list);
    size_t count = 0;
    if (decision->unmet) list[count++] = of_claim(decision);
    for (size_t i = 0; i < decision->case_count; ++i)
        if (decision_case_severity(&decision->cases[i]) != SEVERITY_NONE)
            list[count++] = of_case(&decision->cases[i], arena);
    for (size_t i = 0; i < decision->ratchet_count; ++i)
        if (decision_ratchet_severity(&decision->ratchets[i]) != SEVERITY_NONE)
            list[count++] = of_ratchet(&decision->ratchets[i], arena);
    *ret = list;
    return count;
}
