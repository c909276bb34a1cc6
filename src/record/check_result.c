// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the result of checking one case on one side. Figures that do not exist are absent.
// worker/check/ computes them.
#include "record/check_result.h"

#include <math.h>
#include <stdio.h>

#include "record/field.h"

// The double members of struct tensor_error, in the order in which they are written.
struct error_figure {
    const char *key;
    size_t offset;
};

#define FIGURE_AS(key, member)                                                                               \
    { (key), offsetof(struct tensor_error, member) }
#define FIGURE(member) FIGURE_AS(#member, member)
static const struct error_figure error_figures[] = {
    FIGURE(max_abs),
    FIGURE(max_rel),
    FIGURE(mean_abs),
    FIGURE(rms),
    FIGURE(rel_l2),
    FIGURE(correlation),
    FIGURE(worst_expected),
    FIGURE(worst_got),
    FIGURE_AS("yardstick_max_abs", same_precision_max_abs),
    FIGURE_AS("yardstick_rms", same_precision_rms),
    FIGURE(sampled_max_abs),
    FIGURE(sampled_rms),
};
enum { ERROR_FIGURE_COUNT = sizeof error_figures / sizeof error_figures[0] };

static double *figure_at(struct tensor_error *error, size_t index) {
    return (double *)(void *)((char *)error + error_figures[index].offset);
}

static void tensor_error_write(struct json_writer *w, const struct tensor_error *error) {
    json_object_begin(w, NULL);
    json_write_string(w, "tensor", error->tensor);
    json_write_u64(w, "element_count", error->element_count);
    json_write_u64(w, "failed_count", error->failed_count);
    struct tensor_error copy = *error;
    for (size_t i = 0; i < ERROR_FIGURE_COUNT; ++i)
        json_maybe_double(w, error_figures[i].key, *figure_at(&copy, i));
    if (error->dim_count > 0) {
        json_array_begin(w, "worst_coord");
        for (int i = 0; i < error->dim_count && i < CHECK_DIMS_MAX; ++i) {
            json_write_i64(w, NULL, error->worst_coord[i]);
        }
        json_array_end(w);
    }
    json_write_u64(w, "sampled_row_count", error->sampled_row_count);
    json_object_end(w);
}

void check_result_write_members(struct json_writer *w, const struct check_result *result) {
    json_write_string(w, "outcome", outcome_name(result->outcome));
    if (result->finding != FINDING_NONE) json_write_string(w, "finding", finding_name(result->finding));
    if (result->message[0]) json_write_string(w, "message", result->message);
    if (result->note[0]) json_write_string(w, "note", result->note);
    if (result->tensor_count > 0) {
        json_array_begin(w, "tensors");
        for (int i = 0; i < result->tensor_count && i < CHECK_TENSORS_MAX; ++i) {
            tensor_error_write(w, &result->tensors[i]);
        }
        json_array_end(w);
    }
    json_write_u64(w, "duration_ns", result->duration_ns);
    json_write_u64(w, "kernel_ns", result->kernel_ns);
    json_write_u64(w, "workspace_bytes", result->workspace_bytes);
}

void check_result_write(struct json_writer *w, const char *key, const struct check_result *result) {
    json_object_begin(w, key);
    check_result_write_members(w, result);
    json_object_end(w);
}

static int tensor_error_parse(const struct json_at *at, struct tensor_error *ret, struct err *err) {
    const json_t *coords = NULL;
    size_t coord_count = 0;
    for (size_t i = 0; i < ERROR_FIGURE_COUNT; ++i) {
        *figure_at(ret, i) = NAN;
        TRY(json_find_double(at, error_figures[i].key, figure_at(ret, i), err));
    }
    TRY(field_find_chars(at, "tensor", ret->tensor, sizeof ret->tensor, err));
    TRY(json_find_u64(at, "element_count", &ret->element_count, err));
    TRY(json_find_u64(at, "failed_count", &ret->failed_count, err));
    TRY(json_find_u64(at, "sampled_row_count", &ret->sampled_row_count, err));
    TRY(field_find_items(at, "worst_coord", CHECK_DIMS_MAX, &coords, &coord_count, err));
    for (size_t i = 0; i < coord_count; ++i) {
        const json_t *coord = json_array_get(coords, i);
        if (!json_is_integer(coord)) {
            return err_set(err, ERR_DATA, "%s: worst_coord[%zu] must be an integer", at->where, i);
        }
        ret->worst_coord[i] = json_integer_value(coord);
    }
    ret->dim_count = (int)coord_count;
    return 0;
}

static int tensors_parse(const struct json_at *at, struct check_result *ret, struct err *err) {
    const json_t *tensors = NULL;
    size_t count = 0;
    TRY(field_find_items(at, "tensors", CHECK_TENSORS_MAX, &tensors, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, "tensors", i, json_array_get(tensors, i));
        TRY(tensor_error_parse(&place.at, &ret->tensors[i], err));
    }
    ret->tensor_count = (int)count;
    return 0;
}

int check_result_parse(const struct json_at *at, struct check_result *ret, struct err *err) {
    struct check_result result = {0};
    const char *outcome = NULL, *finding = NULL;
    TRY(json_get_string(at, "outcome", &outcome, err));
    result.outcome = outcome_parse(outcome);
    if (result.outcome == OUTCOME_NONE) return field_refuse_name(at, "outcome", outcome, err);
    TRY(json_find_string(at, "finding", &finding, err));
    if (finding) {
        result.finding = finding_parse(finding);
        if (result.finding == FINDING_NONE) return field_refuse_name(at, "finding", finding, err);
    }
    TRY(field_find_chars(at, "message", result.message, sizeof result.message, err));
    TRY(field_find_chars(at, "note", result.note, sizeof result.note, err));
    TRY(tensors_parse(at, &result, err));
    TRY(json_find_u64(at, "duration_ns", &result.duration_ns, err));
    TRY(json_find_u64(at, "kernel_ns", &result.kernel_ns, err));
    TRY(json_find_u64(at, "workspace_bytes", &result.workspace_bytes, err));
    *ret = result;
    return 0;
}
