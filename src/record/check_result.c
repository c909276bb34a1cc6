// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the result of checking one case on one side. Figures that do not exist are absent.
// worker/check/ computes them.
#include "record/check_result.h"

#include <stdlib.h>

#include "record/field.h"

// ---- worst_coord: a list of plain integers ----

static void coord_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const struct tensor_error *error = object;
    (void)context;
    if (error->dim_count <= 0) return;
    json_array_begin(w, member->key);
    for (int i = 0; i < error->dim_count && i < CHECK_DIMS_MAX; ++i)
        json_write_i64(w, NULL, error->worst_coord[i]);
    json_array_end(w);
}

static int coord_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, void *context, struct err *err) {
    struct tensor_error *error = object;
    const json_t *coords = NULL;
    size_t count = 0;
    (void)arena, (void)context;
    TRY(field_find_items(at, member->key, CHECK_DIMS_MAX, &coords, &count, err));
    for (size_t i = 0; i < count; ++i) {
        const json_t *coord = json_array_get(coords, i);
        if (!json_is_integer(coord))
            return err_set(err, ERR_DATA, "%s: %s[%zu] must be an integer", at->where, member->key, i);
        error->worst_coord[i] = json_integer_value(coord);
    }
    error->dim_count = (int)count;
    return 0;
}

static const struct member tensor_members[] = {
    MEMBER(struct tensor_error, "tensor", tensor, "Its name.", MEMBER_WRITTEN),
    MEMBER(struct tensor_error, "element_count", element_count, "Elements.", MEMBER_WRITTEN),
    MEMBER(struct tensor_error, "failed_count", failed_count, "Elements beyond the tolerance.",
           MEMBER_WRITTEN),
    MEMBER(struct tensor_error, "max_abs", max_abs, "Largest difference from float64."),
    MEMBER(struct tensor_error, "max_rel", max_rel, "Largest difference, by the largest element of float64."),
    MEMBER(struct tensor_error, "mean_abs", mean_abs, "Mean difference."),
    MEMBER(struct tensor_error, "rms", rms, "Root of the mean square of the differences."),
    MEMBER(struct tensor_error, "rel_l2", rel_l2, "L2 norm of the differences, by that of float64."),
    MEMBER(struct tensor_error, "correlation", correlation, "Correlation with float64."),
    MEMBER(struct tensor_error, "worst_expected", worst_expected, "float64's element at `worst_coord`."),
    MEMBER(struct tensor_error, "worst_got", worst_got, "The kernel's element there."),
    MEMBER(struct tensor_error, "same_precision_max_abs", same_precision_max_abs,
           "`max_abs` of the same-precision reference on the sampled rows.", .former = "yardstick_max_abs"),
    MEMBER(struct tensor_error, "same_precision_rms", same_precision_rms, "Its `rms`.",
           .former = "yardstick_rms"),
    MEMBER(struct tensor_error, "sampled_max_abs", sampled_max_abs,
           "`max_abs` of this kernel on these rows."),
    MEMBER(struct tensor_error, "sampled_rms", sampled_rms, "Its `rms`."),
    MEMBER_WITH("worst_coord", coord_write, coord_read,
                "Indices of the first element that failed, or of `max_abs`.",
                .schema = "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}, \"maxItems\": 8}"),
    MEMBER(struct tensor_error, "sampled_row_count", sampled_row_count, "Sampled rows.", MEMBER_WRITTEN),
};
static const struct member_table tensor_error_members = MEMBER_TABLE(
    struct tensor_error, "tensor_error", tensor_members, .sentence = "Errors of one output against float64.");

static const struct member members[] = {
    MEMBER_SIDE,
    MEMBER_NAMED(struct check_result, "outcome", outcome, outcome_names, "What came of it.",
                 MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER_NAMED(struct check_result, "finding", finding, finding_names, "What is wrong, of a `FAIL`."),
    MEMBER(struct check_result, "message", message, "A sentence: what, where, expected, got."),
    MEMBER(struct check_result, "note", note, "What prepare said of itself: versions, the algorithm chosen."),
    MEMBER(struct check_result, "version", version, "Version of the library that computed, of a peer."),
    {.key = "tensors",
     .type = MEMBER_ITEMS,
     MEMBER_PLACE(struct check_result, tensors),
     MEMBER_COUNT(struct check_result, tensor_count),
     .table = &tensor_error_members,
     .is_inline = true,
     .limit = CHECK_TENSORS_MAX,
     .sentence = "One an output."},
    MEMBER(struct check_result, "duration_ns", duration_ns, "The whole check.", MEMBER_WRITTEN),
    MEMBER(struct check_result, "kernel_ns", kernel_ns, "Its first launch.", MEMBER_WRITTEN),
    MEMBER(struct check_result, "workspace_bytes", workspace_bytes, "Memory that the kernel asked for.",
           MEMBER_WRITTEN),
};
const struct member_table check_result_members = MEMBER_TABLE(
    struct check_result, "check", members, .sentence = "What checking a problem on one side came to.");
