// SPDX-License-Identifier: Apache-2.0
//
// hyperfine's JSON (--export-json): a benchmark is a command, its samples are `times` in seconds. A command
// that failed in one of its runs is not comparable.
#include "format/external_format.h"
#include "format/format.h"
#include "record/field.h"

#define NAME "hyperfine"

static bool is_mine(const json_t *root) {
    const json_t *first = json_array_get(json_object_get(root, "results"), 0);
    return json_is_string(json_object_get(first, "command")) && json_object_get(first, "mean");
}

static int benchmark_parse(const struct json_at *at, struct result *result, struct err *err) {
    const char *command = NULL;
    const json_t *times = json_object_get(at->value, "times"), *codes = NULL;
    size_t code_count = 0;
    double mean_s = 0;
    TRY(json_get_string(at, "command", &command, err));
    if (json_array_size(times)) {
        TRY(external_times_add(result, at->where, command, times, 1e9, err));
    } else {
        TRY(json_get_double(at, "mean", &mean_s, err));
        external_summary_add(result, command, mean_s * 1e9);
    }
    TRY(field_find_items(at, "exit_codes", EXTERNAL_TIMES_MAX, &codes, &code_count, err));
    for (size_t i = 0; i < code_count; ++i)
        if (!json_is_integer(json_array_get(codes, i)) || json_integer_value(json_array_get(codes, i)))
            external_case_refuse(&result->cases[result->case_count - 1], REASON_CHECK_FAILED,
                                 "the command failed in one of its runs");
    return 0;
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    return external_read(NAME, source, "results", benchmark_parse, ret, err);
}

const struct format format_hyperfine = {
    .name = NAME,
    .title = "a hyperfine file",
    .summary = "hyperfine's JSON (--export-json), a sample a run",
    .is_mine = is_mine,
    .read = read_document,
};
