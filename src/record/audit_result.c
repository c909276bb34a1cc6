// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads what became of a wrong result. Figures that do not exist are absent.
#include "record/audit_result.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "record/field.h"

static const char *const verdict_names[AUDIT_VERDICT_COUNT] = {
    [AUDIT_INVALID] = "invalid", [AUDIT_SAME] = "same",     [AUDIT_DETECTED] = "detected",
    [AUDIT_HIDDEN] = "hidden",   [AUDIT_PASSED] = "passed", [AUDIT_REFUSED] = "refused",
};

static const char *const rule_names[AUDIT_RULE_COUNT] = {
    [AUDIT_RULE_NONE] = "none",         [AUDIT_RULE_NOT_A_NUMBER] = "not_a_number",
    [AUDIT_RULE_ELEMENTS] = "elements", [AUDIT_RULE_REL_L2] = "rel_l2",
    [AUDIT_RULE_TWO_X] = "two_x",
};

const char *audit_verdict_name(enum audit_verdict verdict) {
    return (unsigned)verdict < AUDIT_VERDICT_COUNT ? verdict_names[verdict] : "invalid";
}

const char *audit_rule_name(enum audit_rule rule) {
    return (unsigned)rule < AUDIT_RULE_COUNT ? rule_names[rule] : "none";
}

struct audit_figure {
    const char *key;
    size_t offset;
};

#define FIGURE(member)                                                                                       \
    { #member, offsetof(struct audit_result, member) }
static const struct audit_figure figures[] = {
    FIGURE(max_abs),           FIGURE(rms),        FIGURE(rel_l2),
    FIGURE(right_max_abs),     FIGURE(right_rms),  FIGURE(two_x_max_abs),
    FIGURE(two_x_rms),         FIGURE(atol),       FIGURE(rtol),
    FIGURE(min_pass_fraction), FIGURE(rel_l2_max),
};
enum { FIGURE_COUNT = sizeof figures / sizeof figures[0] };

static double *figure_at(struct audit_result *result, size_t index) {
    return (double *)(void *)((char *)result + figures[index].offset);
}

void audit_result_write_members(struct json_writer *w, const struct audit_result *result) {
    json_write_string(w, "wrong_result", result->mutant);
    json_maybe_string(w, "summary", result->summary);
    json_write_string(w, "output", result->output);
    json_write_string(w, "verdict", audit_verdict_name(result->verdict));
    if (result->rule != AUDIT_RULE_NONE) json_write_string(w, "rule", audit_rule_name(result->rule));
    json_write_u64(w, "failed_count", result->failed_count);
    json_write_u64(w, "element_count", result->element_count);
    struct audit_result copy = *result;
    for (size_t i = 0; i < FIGURE_COUNT; ++i) json_maybe_double(w, figures[i].key, *figure_at(&copy, i));
    json_write_bool(w, "has_plain", result->has_plain);
    json_maybe_string(w, "detected_by", result->detected_by);
}

void audit_result_write(struct json_writer *w, const char *key, const struct audit_result *result) {
    json_object_begin(w, key);
    audit_result_write_members(w, result);
    json_object_end(w);
}

static int name_parse(const struct json_at *at, const char *key, const char *const *names, int count,
                      int *ret, struct err *err) {
    const char *name = NULL;
    TRY(json_find_string(at, key, &name, err));
    for (int i = 0; name && i < count; ++i) {
        if (strcmp(names[i], name) != 0) continue;
        *ret = i;
        return 0;
    }
    return name ? field_refuse_name(at, key, name, err) : 0;
}

int audit_result_parse(const struct json_at *at, struct arena *arena, struct audit_result *ret,
                       struct err *err) {
    struct audit_result result = {0};
    int verdict = AUDIT_INVALID, rule = AUDIT_RULE_NONE;
    TRY(field_get_text(at, "wrong_result", arena, &result.mutant, err));
    TRY(field_find_text(at, "summary", arena, &result.summary, err));
    TRY(field_get_text(at, "output", arena, &result.output, err));
    TRY(name_parse(at, "verdict", verdict_names, AUDIT_VERDICT_COUNT, &verdict, err));
    if (verdict == AUDIT_INVALID) return field_refuse_name(at, "verdict", "invalid", err);
    TRY(name_parse(at, "rule", rule_names, AUDIT_RULE_COUNT, &rule, err));
    result.verdict = (enum audit_verdict)verdict;
    result.rule = (enum audit_rule)rule;
    TRY(json_find_u64(at, "failed_count", &result.failed_count, err));
    TRY(json_find_u64(at, "element_count", &result.element_count, err));
    for (size_t i = 0; i < FIGURE_COUNT; ++i) {
        *figure_at(&result, i) = NAN;
        TRY(field_find_double(at, figures[i].key, 0, figure_at(&result, i), err));
    }
    TRY(json_find_bool(at, "has_plain", &result.has_plain, err));
    TRY(field_find_text(at, "detected_by", arena, &result.detected_by, err));
    *ret = result;
    return 0;
}
