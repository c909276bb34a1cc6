// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads a decision, and names verdicts and reasons. control/verdict/ makes decisions.
#include "record/decision.h"

#include <math.h>
#include <string.h>

#include "record/field.h"

enum { DECISION_CASES_MAX = 1 << 16, DECISION_NOTES_MAX = 1 << 12 };

struct verdict_text {
    const char *name, *words;
};

static const struct verdict_text verdict_texts[VERDICT_COUNT] = {
    [VERDICT_NONE] = {"none", "not decided"},
    [VERDICT_REGRESSION] = {"regression", "regression"},
    [VERDICT_IMPROVEMENT] = {"improvement", "improvement"},
    [VERDICT_MAINTAINED] = {"maintained", "maintained"},
    [VERDICT_NO_DIFFERENCE] = {"no_significant_difference", "no significant difference"},
    [VERDICT_UNDECIDABLE] = {"undecidable", "undecidable"},
    [VERDICT_SAME_CODE] = {"same_code", "same machine code"},
    [VERDICT_WRONG] = {"wrong", "wrong result"},
    [VERDICT_NOT_VALID] = {"invalid", "invalid"},
    [VERDICT_ADDED] = {"added", "added"},
    [VERDICT_REMOVED] = {"removed", "removed"},
};

static const char *const reason_names[REASON_COUNT] = {
    [REASON_NONE] = "none",
    [REASON_SLOWER_UNPROVEN] = "slower_unproven",
    [REASON_FASTER_UNPROVEN] = "faster_unproven",
    [REASON_EFFECT_TOO_SMALL] = "effect_too_small",
    [REASON_FASTER_IN_BAND] = "faster_in_band",
    [REASON_SLOWER_IN_BAND] = "slower_in_band",
    [REASON_IN_BAND] = "in_band",
    [REASON_TIE] = "tie",
    [REASON_SLOWER_PROVEN] = "slower_proven",
    [REASON_FASTER_PROVEN] = "faster_proven",
    [REASON_TOO_FEW_ROUNDS] = "too_few_rounds",
    [REASON_TOO_NOISY] = "too_noisy",
    [REASON_UNCONFIRMED] = "unconfirmed",
    [REASON_TOO_FEW_SAMPLES] = "too_few_samples",
    [REASON_DIFFERENT_DEVICE] = "different_device",
    [REASON_DIFFERENT_SETTINGS] = "different_settings",
    [REASON_THROTTLED] = "throttled",
    [REASON_CLOCKS_APART] = "clocks_apart",
    [REASON_COARSE_TIMER] = "coarse_timer",
    [REASON_FEW_EFFECTIVE_SAMPLES] = "few_effective_samples",
    [REASON_ACCOUNTING_ERROR] = "accounting_error",
    [REASON_NOTHING_IN_COMMON] = "nothing_in_common",
    [REASON_BAD_TIMES] = "bad_times",
    [REASON_BUSY_MACHINE] = "busy_machine",
    [REASON_NOT_MEASURED] = "not_measured",
    [REASON_CHECK_FAILED] = "check_failed",
    [REASON_UNSUPPORTED] = "unsupported",
    [REASON_EXPECTED_IMPROVEMENT] = "expected_improvement",
    [REASON_BUILD_FAILED] = "build_failed",
};

const char *verdict_name(enum verdict verdict) {
    return (unsigned)verdict < VERDICT_COUNT ? verdict_texts[verdict].name : "none";
}

const char *verdict_text(enum verdict verdict) {
    return (unsigned)verdict < VERDICT_COUNT ? verdict_texts[verdict].words
                                             : verdict_texts[VERDICT_NONE].words;
}

enum verdict verdict_parse(const char *name) {
    for (int i = 1; i < VERDICT_COUNT; ++i) {
        if (name && strcmp(verdict_texts[i].name, name) == 0) return (enum verdict)i;
    }
    return VERDICT_NONE;
}

const char *reason_name(enum reason reason) {
    return (unsigned)reason < REASON_COUNT ? reason_names[reason] : "none";
}

enum reason reason_parse(const char *name) {
    for (int i = 1; i < REASON_COUNT; ++i) {
        if (name && strcmp(reason_names[i], name) == 0) return (enum reason)i;
    }
    return REASON_NONE;
}

// The double members of struct decision_case, in the order in which they are written.
struct case_figure {
    const char *key;
    size_t offset;
};

#define FIGURE(member)                                                                                       \
    { #member, offsetof(struct decision_case, member) }
static const struct case_figure case_figures[] = {
    FIGURE(median_base_ns),     FIGURE(median_cand_ns), FIGURE(change_pct),   FIGURE(change_low_pct),
    FIGURE(change_high_pct),    FIGURE(interval_level), FIGURE(base_low_ns),  FIGURE(base_high_ns),
    FIGURE(cand_low_ns),        FIGURE(cand_high_ns),   FIGURE(cliffs_delta), FIGURE(u_statistic),
    FIGURE(p_mann_whitney),     FIGURE(p_raw),          FIGURE(p_holm),       FIGURE(p_not_slower),
    FIGURE(hodges_lehmann_pct), FIGURE(hl_low_pct),     FIGURE(hl_high_pct),  FIGURE(smallest_detectable_pct),
    FIGURE(spread_pct),
};
enum { CASE_FIGURE_COUNT = sizeof case_figures / sizeof case_figures[0] };

static double *figure_at(struct decision_case *item, size_t index) {
    return (double *)(void *)((char *)item + case_figures[index].offset);
}

static void case_write(struct json_writer *w, const struct decision_case *item) {
    struct decision_case copy = *item;
    json_object_begin(w, NULL);
    json_write_string(w, "name", item->name ? item->name : "");
    json_maybe_string(w, "short_name", item->short_name);
    json_write_string(w, "verdict", verdict_name(item->verdict));
    if (item->reason != REASON_NONE) json_write_string(w, "reason", reason_name(item->reason));
    json_maybe_string(w, "sentence", item->sentence);
    for (size_t i = 0; i < CASE_FIGURE_COUNT; ++i)
        json_maybe_double(w, case_figures[i].key, *figure_at(&copy, i));
    json_write_u64(w, "round_count", item->round_count);
    json_write_u64(w, "invalid_round_count", item->invalid_round_count);
    json_write_u64(w, "base_count", item->base_count);
    json_write_u64(w, "cand_count", item->cand_count);
    if (item->is_outlier_round) json_write_bool(w, "is_outlier_round", true);
    json_maybe_string(w, "guard", item->guard);
    if (item->unguarded_verdict != VERDICT_NONE) {
        json_write_string(w, "unguarded_verdict", verdict_name(item->unguarded_verdict));
    }
    if (item->unguarded_reason != REASON_NONE) {
        json_write_string(w, "unguarded_reason", reason_name(item->unguarded_reason));
    }
    json_object_end(w);
}

const struct decision_case *decision_find_case(const struct decision *decision, const char *name) {
    for (size_t i = 0; i < decision->case_count; ++i)
        if (str_equal(decision->cases[i].name, name)) return &decision->cases[i];
    return NULL;
}

const char *decision_case_name(const struct decision_case *item) {
    return str_or(item->short_name, item->name);
}

void decision_write_members(struct json_writer *w, const struct decision *decision) {
    json_maybe_string(w, "rule", decision->rule);
    json_write_string(w, "verdict", verdict_name(decision->verdict));
    json_write_i64(w, "exit_code", decision->exit_code);
    json_maybe_string(w, "sentence", decision->sentence);
    json_maybe_double(w, "regression_pct", decision->regression_pct);
    json_maybe_double(w, "improvement_pct", decision->improvement_pct);
    json_write_u64(w, "round_count", decision->round_count);
    json_maybe_double(w, "geomean_speedup", decision->geomean_speedup);
    json_maybe_double(w, "best_speedup", decision->best_speedup);
    json_maybe_double(w, "worst_speedup", decision->worst_speedup);
    json_maybe_string(w, "best_name", decision->best_name);
    json_maybe_string(w, "worst_name", decision->worst_name);
    json_object_begin(w, "counts");
    for (int i = 1; i < VERDICT_COUNT; ++i) {
        if (decision->counts[i] > 0) json_write_u64(w, verdict_texts[i].name, decision->counts[i]);
    }
    json_object_end(w);
    json_array_begin(w, "cases");
    for (size_t i = 0; i < decision->case_count; ++i) case_write(w, &decision->cases[i]);
    json_array_end(w);
    json_array_begin(w, "notes");
    for (size_t i = 0; i < decision->note_count; ++i) json_write_string(w, NULL, decision->notes[i]);
    json_array_end(w);
}

void decision_write(struct json_writer *w, const char *key, const struct decision *decision) {
    json_object_begin(w, key);
    decision_write_members(w, decision);
    json_object_end(w);
}

static int verdict_find(const struct json_at *at, const char *key, enum verdict *ret, struct err *err) {
    const char *name = NULL;
    TRY(json_find_string(at, key, &name, err));
    if (!name) return 0;
    *ret = verdict_parse(name);
    if (*ret == VERDICT_NONE && strcmp(name, "none") != 0) return field_refuse_name(at, key, name, err);
    return 0;
}

static int reason_find(const struct json_at *at, const char *key, enum reason *ret, struct err *err) {
    const char *name = NULL;
    TRY(json_find_string(at, key, &name, err));
    if (!name) return 0;
    *ret = reason_parse(name);
    if (*ret == REASON_NONE && strcmp(name, "none") != 0) return field_refuse_name(at, key, name, err);
    return 0;
}

static int size_find(const struct json_at *at, const char *key, size_t *ret, struct err *err) {
    uint64_t value = *ret;
    TRY(json_find_u64(at, key, &value, err));
    *ret = (size_t)value;
    return 0;
}

static int case_parse(const struct json_at *at, struct arena *arena, struct decision_case *ret,
                      struct err *err) {
    TRY(field_get_text(at, "name", arena, &ret->name, err));
    TRY(field_find_text(at, "short_name", arena, &ret->short_name, err));
    TRY(verdict_find(at, "verdict", &ret->verdict, err));
    TRY(reason_find(at, "reason", &ret->reason, err));
    TRY(field_find_text(at, "sentence", arena, &ret->sentence, err));
    for (size_t i = 0; i < CASE_FIGURE_COUNT; ++i) {
        *figure_at(ret, i) = NAN;
        TRY(json_find_double(at, case_figures[i].key, figure_at(ret, i), err));
    }
    TRY(field_find_u32(at, "round_count", &ret->round_count, err));
    TRY(field_find_u32(at, "invalid_round_count", &ret->invalid_round_count, err));
    TRY(size_find(at, "base_count", &ret->base_count, err));
    TRY(size_find(at, "cand_count", &ret->cand_count, err));
    TRY(json_find_bool(at, "is_outlier_round", &ret->is_outlier_round, err));
    TRY(field_find_text(at, "guard", arena, &ret->guard, err));
    TRY(verdict_find(at, "unguarded_verdict", &ret->unguarded_verdict, err));
    TRY(reason_find(at, "unguarded_reason", &ret->unguarded_reason, err));
    return 0;
}

static int figures_parse(const struct json_at *at, struct arena *arena, struct decision *ret,
                         struct err *err) {
    int64_t exit_code = 0;
    TRY(field_find_text(at, "rule", arena, &ret->rule, err));
    TRY(verdict_find(at, "verdict", &ret->verdict, err));
    TRY(field_find_i64(at, "exit_code", 0, &exit_code, err));
    if (exit_code > 255)
        return err_set(err, ERR_DATA, "%s: exit_code %lld is impossible", at->where, (long long)exit_code);
    ret->exit_code = (int)exit_code;
    TRY(field_find_text(at, "sentence", arena, &ret->sentence, err));
    TRY(json_find_double(at, "regression_pct", &ret->regression_pct, err));
    TRY(json_find_double(at, "improvement_pct", &ret->improvement_pct, err));
    TRY(field_find_u32(at, "round_count", &ret->round_count, err));
    TRY(json_find_double(at, "geomean_speedup", &ret->geomean_speedup, err));
    TRY(json_find_double(at, "best_speedup", &ret->best_speedup, err));
    TRY(json_find_double(at, "worst_speedup", &ret->worst_speedup, err));
    TRY(field_find_text(at, "best_name", arena, &ret->best_name, err));
    TRY(field_find_text(at, "worst_name", arena, &ret->worst_name, err));
    return 0;
}

static int lists_parse(const struct json_at *at, struct arena *arena, struct decision *ret, struct err *err) {
    const json_t *cases = NULL, *notes = NULL, *counts = NULL;
    struct field_place place;
    TRY(field_find_items(at, "cases", DECISION_CASES_MAX, &cases, &ret->case_count, err));
    ret->cases = arena_array(arena, ret->case_count, sizeof *ret->cases);
    for (size_t i = 0; i < ret->case_count; ++i) {
        field_enter_item(&place, at, "cases", i, json_array_get(cases, i));
        TRY(case_parse(&place.at, arena, &ret->cases[i], err));
    }
    TRY(field_find_items(at, "notes", DECISION_NOTES_MAX, &notes, &ret->note_count, err));
    ret->notes = arena_array(arena, ret->note_count, sizeof *ret->notes);
    for (size_t i = 0; i < ret->note_count; ++i) {
        const char *note = json_string_value(json_array_get(notes, i));
        if (!note) return err_set(err, ERR_DATA, "%s: notes[%zu] must be a string", at->where, i);
        ret->notes[i] = arena_strdup(arena, note);
    }
    TRY(json_find_object(at, "counts", &counts, err));
    if (!counts) return 0;
    field_enter(&place, at, "counts", counts);
    for (int i = 1; i < VERDICT_COUNT; ++i)
        TRY(size_find(&place.at, verdict_texts[i].name, &ret->counts[i], err));
    return 0;
}

int decision_parse(const struct json_at *at, struct arena *arena, struct decision *ret, struct err *err) {
    struct decision decision = {.regression_pct = NAN,
                                .improvement_pct = NAN,
                                .geomean_speedup = NAN,
                                .best_speedup = NAN,
                                .worst_speedup = NAN};
    TRY(figures_parse(at, arena, &decision, err));
    TRY(lists_parse(at, arena, &decision, err));
    *ret = decision;
    return 0;
}
