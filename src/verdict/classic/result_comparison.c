// SPDX-License-Identifier: Apache-2.0
//
// See result_comparison.h.
#include "verdict/classic/result_comparison.h"

#include "base/json_writer.h"
#include "verdict/decision_make.h"
#include "verdict/gate_rule.h"
#include "verdict/summary.h"

int result_comparison_decide(struct result_comparison *comparison, const char *kernel,
                             const struct classic_options *options, struct err *err) {
    const struct result *base = comparison->results[0];
    struct result *cand = comparison->results[1];
    struct classic_side left = {.result = base}, right = {.result = cand};
    struct decision *decision = arena_alloc(&cand->arena, sizeof *decision);
    TRY(classic_side_find(base, kernel, &left.side, err));
    TRY(classic_side_find(cand, kernel, &right.side, err));
    TRY(verdict_classic(left, right, options, &cand->arena, decision, err));
    const struct gate_options rule = {.kind = GATE_COMPARE, .spec = options->spec};
    TRY(gate_rule_apply(&rule, &(struct gate_events){0}, &cand->arena, decision, err));
    if (left.side == right.side && str_equal(comparison->hashes[0], comparison->hashes[1]))
        decision_note(decision, &cand->arena,
                      "both files hold the same bytes: this is one measurement held against itself");
    cand->decision = decision;
    comparison->sides[0] = left.side;
    comparison->sides[1] = right.side;
    return 0;
}

int result_comparison_write(const struct result_comparison *comparison, struct strbuf *out, struct err *err) {
    const struct result *cand = comparison->results[1];
    struct arena arena = {0};
    struct warning_list warnings;
    if (warnings_get(cand, &arena, &warnings) < 0) {
        arena_fini(&arena);
        return err_set(err, ERR_INTERNAL, "no memory for the warnings of %s", comparison->names[1]);
    }
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "baseline", comparison->names[0]);
    json_write_string(&w, "candidate", comparison->names[1]);
    json_write_string(&w, "format", comparison->format);
    json_maybe_string(&w, "metric", cand->environment.metric);
    members_write(&w, &decision_members, cand->decision, NULL);
    if (cand->explanation)
        members_write_object(&w, "explanation", &explanation_members, cand->explanation, NULL);
    json_array_begin(&w, "warnings");
    for (size_t i = 0; i < warnings.count; ++i) json_write_string(&w, NULL, warnings.texts[i]);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
    arena_fini(&arena);
    return 0;
}
