// SPDX-License-Identifier: Apache-2.0
//
// Figures of the compiler that the manifest holds (gate.ratchet): both values, what is allowed, what became
// of it.
#include "base/strbuf.h"
#include "report/result/report_parts.h"
#include "verdict/ratchet_rule.h"

static const struct {
    const char *text;
    enum term_style style;
} outcomes[RATCHET_OUTCOME_COUNT] = {
    [RATCHET_NONE] = {"", TERM_PLAIN},
    [RATCHET_HELD] = {"held", TERM_GREEN},
    [RATCHET_WORSE] = {"too much", TERM_RED},
    [RATCHET_UNKNOWN] = {"not judged", TERM_YELLOW},
    [RATCHET_ACCEPTED] = {"accepted", TERM_YELLOW},
};

void report_content_ratchets(const struct result *result, const struct report_options *options,
                             struct report_blocks *blocks) {
    const struct decision *decision = result->decision;
    struct arena *arena = blocks->arena;
    if (!decision || !decision->ratchet_count) return;
    const char *const head[] = {"ratchet", report_side_label(result, options, SIDE_BASELINE, arena),
                                report_side_label(result, options, SIDE_CANDIDATE, arena), "may grow by",
                                "outcome"};
    struct report_block *table = report_table_add(blocks, "lrrrl", head);
    for (size_t i = 0; i < decision->ratchet_count; ++i) {
        const struct decision_ratchet *ratchet = &decision->ratchets[i];
        const char *unit = str_or(ratchet->unit, "");
        struct report_row *row = report_row_add(blocks, table);
        row->cells[0] = ratchet->figure;
        row->cells[1] = ratchet_amount_text(ratchet->baseline, unit, arena);
        row->cells[2] = ratchet_amount_text(ratchet->candidate, unit, arena);
        row->cells[3] = ratchet->allowance;
        row->cells[4] = outcomes[ratchet->outcome].text;
        row->style = outcomes[ratchet->outcome].style;
        row->style_column = 4;
    }
}
