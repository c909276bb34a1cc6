// SPDX-License-Identifier: Apache-2.0
//
// Criterion.rs's sample.json: how many iterations each sample has, and how long all of them took, in ns. The
// file has no name of its own; both files of a comparison have the same one.
#include <math.h>

#include "control/format/external_format.h"
#include "control/format/format.h"
#include "record/field.h"

#define NAME "criterion"

static bool is_mine(const json_t *root) {
    return json_is_array(json_object_get(root, "iters")) && json_is_array(json_object_get(root, "times"));
}

static int samples_parse(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *iterations = NULL, *times = NULL;
    size_t iteration_count = 0, count = 0;
    TRY(field_get_items(at, "iters", EXTERNAL_TIMES_MAX, &iterations, &iteration_count, err));
    TRY(field_get_items(at, "times", EXTERNAL_TIMES_MAX, &times, &count, err));
    if (iteration_count != count)
        return err_set(err, ERR_DATA, "%s: %zu times of %zu counts of iterations", at->where, count,
                       iteration_count);
    struct result_case *item = external_case_add(result, "benchmark", count);
    for (size_t i = 0; i < count; ++i) {
        const double launches = json_number_value(json_array_get(iterations, i));
        const double time_ns = json_number_value(json_array_get(times, i));
        const bool is_count = launches >= 1 && launches < 1e15;
        if (is_count && external_sample_add(item, time_ns / launches, (uint64_t)launches, NAN)) continue;
        ++item->left_out_count;
        external_case_refuse(item, REASON_BAD_TIMES, "one of its samples has no time, or no iterations");
    }
    return 0;
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    return external_read(NAME, source, NULL, samples_parse, ret, err);
}

const struct format format_criterion = {
    .name = NAME,
    .title = "a sample.json of Criterion",
    .summary = "Criterion.rs's sample.json (target/criterion/.../new/sample.json)",
    .is_mine = is_mine,
    .read = read_document,
};
