// SPDX-License-Identifier: Apache-2.0
//
// See ratchet_rule.h.
#include "verdict/ratchet_rule.h"

#include <math.h>

#include "base/comma.h"
#include "base/strbuf.h"

const char *ratchet_amount_text(double amount, const char *unit, struct arena *arena) {
    if (isnan(amount)) return "not known";
    return arena_format(arena, "%.10g%s%s", amount, *unit ? " " : "", unit);
}

static struct decision_ratchet judge(enum compiler_figure figure, const struct ratchet *ratchet,
                                     const double amounts[2], struct arena *arena) {
    const char *text = compiler_figure_text(figure), *unit = compiler_figure_unit(figure);
    const bool is_unknown = isnan(amounts[0]) || isnan(amounts[1]);
    const bool is_worse = !is_unknown && amounts[1] > ratchet_limit(ratchet, amounts[0]);
    struct decision_ratchet ret = {
        .figure = compiler_figure_key(figure),
        .unit = unit,
        .outcome = is_unknown ? RATCHET_UNKNOWN
                   : is_worse ? RATCHET_WORSE
                              : RATCHET_HELD,
        .baseline = amounts[0],
        .candidate = amounts[1],
        .allowance = ratchet_text(ratchet, arena),
    };
    const char *change =
        arena_format(arena, "%s: %s -> %s", text, ratchet_amount_text(amounts[0], unit, arena),
                     ratchet_amount_text(amounts[1], unit, arena));
    if (is_unknown)
        ret.sentence = arena_format(arena, "%s; not judged, since %s has no such figure", change,
                                    isnan(amounts[0]) && isnan(amounts[1]) ? "neither side"
                                    : isnan(amounts[0])                    ? "the baseline"
                                                                           : "the candidate");
    else
        ret.sentence = arena_format(arena, "%s; it may grow by %s%s%s%s", change, ret.allowance,
                                    *unit && !ratchet->is_pct ? " " : "", ratchet->is_pct ? "" : unit,
                                    is_worse ? ": too much" : "");
    return ret;
}

void ratchet_judge(const struct ratchets *ratchets, const struct build_report *base,
                   const struct build_report *cand, struct arena *arena, struct decision *decision) {
    decision->ratchet_count = 0;
    decision->ratchets = arena_array(arena, COMPILER_FIGURE_COUNT, sizeof *decision->ratchets);
    for (enum compiler_figure i = 0; i < COMPILER_FIGURE_COUNT; ++i) {
        const double amounts[2] = {compiler_figure_of(base, i), compiler_figure_of(cand, i)};
        if (ratchets->of[i].is_given)
            decision->ratchets[decision->ratchet_count++] = judge(i, &ratchets->of[i], amounts, arena);
    }
}

const char *ratchet_headline(const struct decision *decision, struct arena *arena) {
    struct strbuf list = {0};
    for (size_t i = 0; i < decision->ratchet_count; ++i) {
        const struct decision_ratchet *ratchet = &decision->ratchets[i];
        if (ratchet->outcome == RATCHET_WORSE)
            comma_addf(&list, "%s %s -> %s", ratchet->figure,
                       ratchet_amount_text(ratchet->baseline, ratchet->unit, arena),
                       ratchet_amount_text(ratchet->candidate, ratchet->unit, arena));
    }
    const char *ret =
        list.length ? arena_format(arena, "the compiler made it worse (%s)", strbuf_text(&list)) : NULL;
    strbuf_fini(&list);
    return ret;
}
