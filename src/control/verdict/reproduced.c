// SPDX-License-Identifier: Apache-2.0
//
// See reproduced.h. Medians, intervals and guards are the classic rule's.
#include "control/verdict/reproduced.h"

#include <math.h>

#include "base/strbuf.h"
#include "control/verdict/classic/classic.h"

static struct reproduced_row make_row(const struct decision_case *item) {
    struct reproduced_row row = {
        .name = decision_case_name(item),
        .value_ns = item->median_cand_ns,
        .reference_ns = item->median_base_ns,
        .median_change_pct = item->change_pct,
        .throughput_change_pct = 100.0 * (item->median_base_ns / item->median_cand_ns - 1.0),
        .do_intervals_overlap =
            item->base_low_ns <= item->cand_high_ns && item->cand_low_ns <= item->base_high_ns,
    };
    row.is_match = fabs(row.median_change_pct) <= REPRODUCED_MEDIAN_PCT &&
                   fabs(row.throughput_change_pct) <= REPRODUCED_THROUGHPUT_PCT && row.do_intervals_overlap;
    if (item->verdict == VERDICT_NOT_VALID)
        row.invalid = str_or(item->guard, "not valid");
    else if (item->verdict == VERDICT_REMOVED)
        row.invalid = "not measured now";
    else if (item->verdict == VERDICT_WRONG)
        row.invalid = "the kernel failed its check";
    if (row.invalid) row.is_match = false;
    return row;
}

int reproduced_get(const struct result *reference, const struct result *measured, struct arena *arena,
                   struct reproduced *ret, struct err *err) {
    struct classic_options options = classic_options_default();
    struct classic_side base = {reference, 0}, cand = {measured, 0};
    struct decision decision;
    TRY(verdict_classic(base, cand, &options, arena, &decision, err));
    *ret = (struct reproduced){.rows = arena_array(arena, decision.case_count + 1, sizeof *ret->rows)};
    size_t match_count = 0, invalid_count = 0;
    for (size_t i = 0; i < decision.case_count; ++i) {
        if (decision.cases[i].verdict == VERDICT_ADDED) continue;
        struct reproduced_row row = make_row(&decision.cases[i]);
        match_count += row.is_match;
        invalid_count += row.invalid != NULL;
        ret->rows[ret->row_count++] = row;
    }
    bool is_invalid = invalid_count > 0 || ret->row_count == 0;
    ret->exit_code = is_invalid ? 3 : match_count == ret->row_count ? 0 : 1;
    ret->sentence = arena_format(
        arena,
        "%s: %zu of %zu problems match (median within 3 %%, throughput within 5 %%, intervals overlap)",
        is_invalid       ? "invalid"
        : ret->exit_code ? "not reproduced"
                         : "reproduced",
        match_count, ret->row_count);
    return 0;
}
