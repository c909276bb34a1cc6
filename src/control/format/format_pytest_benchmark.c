// SPDX-License-Identifier: Apache-2.0
//
// pytest-benchmark's JSON (--benchmark-json): `stats.data` has the rounds in seconds of one iteration, unless
// it was saved without data; then the median is a summary.
#include "control/format/external_format.h"
#include "control/format/format.h"
#include "record/field.h"

#define NAME "pytest-benchmark"

static bool is_mine(const json_t *root) {
    return json_is_object(json_object_get(root, "machine_info")) &&
           json_is_array(json_object_get(root, "benchmarks"));
}

static int benchmark_parse(const struct json_at *at, struct result *result, struct err *err) {
    const char *name = NULL;
    const json_t *stats = NULL;
    struct field_place place;
    double median_s = 0;
    TRY(json_get_string(at, "fullname", &name, err));
    TRY(json_get_object(at, "stats", &stats, err));
    const json_t *data = json_object_get(stats, "data");
    if (json_array_size(data)) return external_times_add(result, at->where, name, data, 1e9, err);
    field_enter(&place, at, "stats", stats);
    TRY(json_get_double(&place.at, "median", &median_s, err));
    external_summary_add(result, name, median_s * 1e9);
    return 0;
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    TRY(external_read(NAME, source, "benchmarks", benchmark_parse, ret, err));
    const json_t *machine = json_object_get(source->root, "machine_info");
    ret->environment.host = external_text(&ret->arena, json_string_value(json_object_get(machine, "node")));
    ret->created_utc =
        external_text(&ret->arena, json_string_value(json_object_get(source->root, "datetime")));
    return 0;
}

const struct format format_pytest_benchmark = {
    .name = NAME,
    .title = "a pytest-benchmark file",
    .summary = "pytest-benchmark's JSON (--benchmark-json), a sample a round",
    .is_mine = is_mine,
    .read = read_document,
};
