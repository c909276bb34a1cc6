// SPDX-License-Identifier: Apache-2.0
//
// Checks that every readable document must pass: compared with itself it shows no change, and its report
// prints in every form.
#ifndef TESTS_FUZZ_COMPARE_ITSELF_H
#define TESTS_FUZZ_COMPARE_ITSELF_H

#include <stdlib.h>

#include "report/formats/report_formats.h"
#include "report/result/report.h"
#include "verdict/classic/classic.h"
#include "verdict/gate_rule.h"

static inline void report_in_every_form(const struct result *result) {
    const struct report_options options = report_options_default();
    for (size_t i = 0; report_format_at(i); ++i) {
        struct strbuf text = {0};
        if (report_format_at(i)->print(result, &options, &text) < 0) abort();
        strbuf_fini(&text);
    }
}

// base and cand: the same document, read twice. The decision is cand's afterwards.
static inline void compare_with_itself(const struct result *base, struct result *cand) {
    struct err err = {0};
    struct classic_side left = {.result = base}, right = {.result = cand};
    if (classic_side_find(base, NULL, &left.side, &err) < 0) return;
    right.side = left.side;
    const struct classic_options options = classic_options_default();
    const struct gate_options rule = {.kind = GATE_COMPARE};
    struct decision *decision = arena_alloc(&cand->arena, sizeof *decision);
    if (verdict_classic(left, right, &options, &cand->arena, decision, &err) < 0) abort();
    if (gate_rule_apply(&rule, &(struct gate_events){0}, &cand->arena, decision, &err) < 0) abort();
    for (size_t i = 0; i < decision->case_count; ++i) {
        const enum verdict verdict = decision->cases[i].verdict;
        if (verdict == VERDICT_REGRESSION || verdict == VERDICT_IMPROVEMENT) abort();
    }
    if (decision->counts[VERDICT_REGRESSION] || decision->counts[VERDICT_IMPROVEMENT]) abort();
    cand->decision = decision;
}

#endif
