// SPDX-License-Identifier: Apache-2.0
//
// pytest-benchmark's JSON (--benchmark-json): `stats.data` has the rounds in seconds of one iteration, unless
// it was saved without data; then the median is a summary.
#include "base/comma.h"
#include "base/strbuf.h"
#include "format/external_format.h"
#include "format/format.h"
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
    const json_t *data = json_object_get(stats, "data"), *rounds = json_object_get(stats, "rounds");
    const size_t count = json_array_size(data);
    if (count && json_is_integer(rounds) && json_integer_value(rounds) != (int64_t)count)
        return err_set(err, ERR_DATA,
                       "%s: '%s' has %zu times in 'data', and 'rounds' says %lld; was it edited?", at->where,
                       str_shown(name).text, count, (long long)json_integer_value(rounds));
    if (count) return external_times_add(result, at->where, name, data, 1e9, err);
    field_enter(&place, at, "stats", stats);
    TRY(json_get_double(&place.at, "median", &median_s, err));
    external_summary_add(result, name, median_s * 1e9);
    return 0;
}

// "AMD EPYC 7763, 8 processors, CPython 3.12.1": what must agree; "": nothing is stated.
static void add_machine(const json_t *machine, struct strbuf *out) {
    const json_t *cpu = json_object_get(machine, "cpu");
    const char *model = json_string_value(json_object_get(cpu, "brand_raw"));
    const json_t *count = json_object_get(cpu, "count");
    const char *python = json_string_value(json_object_get(machine, "python_implementation"));
    const char *version = json_string_value(json_object_get(machine, "python_version"));
    if (model) comma_add(out, model);
    if (json_is_integer(count)) comma_addf(out, "%lld processors", (long long)json_integer_value(count));
    if (version) comma_addf(out, "%s %s", str_or(python, "Python"), version);
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    TRY(external_read(NAME, source, "benchmarks", benchmark_parse, ret, err));
    const json_t *machine = json_object_get(source->root, "machine_info");
    ret->environment.host = external_text(&ret->arena, json_string_value(json_object_get(machine, "node")));
    struct strbuf stated = {0};
    add_machine(machine, &stated);
    external_machine_set(ret, strbuf_text(&stated));
    strbuf_fini(&stated);
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
