// SPDX-License-Identifier: Apache-2.0
//
// See comparison_document.h.
#include "verdict/classic/comparison_document.h"

#include "record/field.h"

enum { WARNINGS_MAX = 1 << 13 };

bool comparison_document_is_one(const json_t *root) {
    return json_is_string(json_object_get(root, "baseline")) &&
           json_is_string(json_object_get(root, "candidate")) &&
           json_is_string(json_object_get(root, "verdict")) &&
           json_is_array(json_object_get(root, "cases")) && !json_object_get(root, "kind");
}

static int read_decision(const struct json_at *at, struct result *result, struct err *err) {
    struct decision *decision = arena_alloc(&result->arena, sizeof *decision);
    members_forget(&decision_members, decision);
    TRY(members_read(at, &decision_members, &result->arena, decision, NULL, err));
    result->decision = decision;
    return 0;
}

static int read_explanation(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *value = NULL;
    struct field_place place;
    TRY(json_find_object(at, "explanation", &value, err));
    if (!value) return 0;
    struct explanation *explanation = arena_alloc(&result->arena, sizeof *explanation);
    field_enter(&place, at, "explanation", value);
    members_forget(&explanation_members, explanation);
    TRY(members_read(&place.at, &explanation_members, &result->arena, explanation, NULL, err));
    result->explanation = explanation;
    return 0;
}

static int read_warnings(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *warnings = NULL;
    size_t count = 0;
    TRY(field_find_items(at, "warnings", WARNINGS_MAX, &warnings, &count, err));
    for (size_t i = 0; i < count; ++i) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (!text) return err_set(err, ERR_DATA, "%s: warnings[%zu] must be a string", at->where, i);
        result_add_warning(result, text);
    }
    return 0;
}

static int read_all(const struct json_at *at, struct comparison_document *document, struct err *err) {
    static const enum side_role roles[2] = {SIDE_BASELINE, SIDE_CANDIDATE};
    struct result *result = &document->result;
    struct arena *arena = &document->arena;
    TRY(field_find_text(at, "baseline", arena, &document->names[0], err));
    TRY(field_find_text(at, "candidate", arena, &document->names[1], err));
    TRY(field_find_text(at, "format", arena, &document->format, err));
    TRY(field_find_text(at, "metric", arena, &result->environment.metric, err));
    TRY(read_decision(at, result, err));
    TRY(read_explanation(at, result, err));
    TRY(read_warnings(at, result, err));
    result->external_format = COMPARISON_FORMAT;
    result->lacks_sampling = result->lacks_seed = true;
    result->side_count = 2;
    for (size_t i = 0; i < 2; ++i)
        result->sides[i] = (struct result_side){.role = roles[i], .build = build_report_unknown()};
    return 0;
}

int comparison_document_read(const json_t *root, const char *where, struct comparison_document *ret,
                             struct err *err) {
    const struct json_at at = {.value = root, .where = where};
    *ret = (struct comparison_document){.format = NULL};
    result_init(&ret->result);
    const int code = read_all(&at, ret, err);
    if (code < 0) comparison_document_fini(ret);
    return code;
}

int comparison_document_write(struct comparison_document *document, struct strbuf *out, struct err *err) {
    const struct result_comparison comparison = {.results = {NULL, &document->result},
                                                 .names = {document->names[0], document->names[1]},
                                                 .format = document->format};
    return result_comparison_write(&comparison, out, err);
}

void comparison_document_fini(struct comparison_document *document) {
    result_fini(&document->result);
    arena_fini(&document->arena);
}
