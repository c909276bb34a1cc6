// SPDX-License-Identifier: Apache-2.0
//
// Input of github-action-benchmark: an array of benchmarks with a unit, each a summary. Units of time only.
#include "format/external_format.h"
#include "format/format.h"
#include "record/field.h"

#define NAME "action-benchmark"

static double unit_ns(const char *unit) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},      {"us", 1e3},      {"\xc2\xb5s", 1e3}, {"ms", 1e6},  {"s", 1e9},
                 {"ns/iter", 1}, {"us/iter", 1e3}, {"ms/iter", 1e6},   {"ns/op", 1}, {"seconds", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (str_equal(units[i].name, unit)) return units[i].ns;
    return 0;
}

static bool is_mine(const json_t *root) {
    const json_t *first = json_array_get(root, 0);
    return json_is_string(json_object_get(first, "name")) && json_is_string(json_object_get(first, "unit")) &&
           json_object_get(first, "value");
}

static int document_parse(const struct json_at *at, struct result *result, struct err *err) {
    const size_t count = json_array_size(at->value);
    TRY(external_reserve(at->where, count, result, err));
    for (size_t i = 0; i < count; ++i) {
        const struct json_at one = {json_array_get(at->value, i), at->where};
        const char *name = NULL, *unit = NULL;
        double value = 0;
        TRY(json_get_string(&one, "name", &name, err));
        TRY(json_get_string(&one, "unit", &unit, err));
        TRY(json_get_double(&one, "value", &value, err));
        if (unit_ns(unit) > 0)
            external_summary_add(result, name, value * unit_ns(unit));
        else
            result_add_warning(result, arena_format(&result->arena, "%s: '%s' is no unit of time: left out",
                                                    str_shown(name).text, str_shown(unit).text));
    }
    return 0;
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    return external_read(NAME, source, NULL, document_parse, ret, err);
}

const struct format format_action_benchmark = {
    .name = NAME,
    .title = "an input of github-action-benchmark",
    .summary = "github-action-benchmark's input (summaries: nothing is proved from them)",
    .is_mine = is_mine,
    .read = read_document,
};
