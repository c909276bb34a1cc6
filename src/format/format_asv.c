// SPDX-License-Identifier: Apache-2.0
//
// A result file of asv (airspeed velocity). Version 2: `result_columns` names the columns of each benchmark's
// row. Version 1: a benchmark is an object with these names, or a number. `samples` has a list of times in
// seconds for each combination of parameters, else `result` its median. A result of null: it failed; NaN: it
// was skipped. Only benchmarks of time are read.
#include <math.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "format/external_format.h"
#include "format/format.h"
#include "record/field.h"

#define NAME             "asv"
#define COMBINATIONS_MAX ((size_t)4096) // of one benchmark

static bool is_mine(const json_t *root) {
    const json_t *version = json_object_get(root, "version");
    const bool has_form = json_is_array(json_object_get(root, "result_columns")) ||
                          json_is_object(json_object_get(root, "benchmark_version")) ||
                          (json_is_integer(version) && json_integer_value(version) == 1);
    return has_form && json_is_object(json_object_get(root, "results")) &&
           json_object_get(root, "commit_hash");
}

// "module.Class.time_name", "module.timeraw_name"
static bool is_time(const char *name) {
    const char *dot = strrchr(name, '.');
    const char *last = dot ? dot + 1 : name;
    return str_starts(last, "time_") || str_starts(last, "timeraw_");
}

static const json_t *column_of(const json_t *root, const json_t *row, const char *name) {
    if (json_is_object(row)) return json_object_get(row, name);
    const json_t *columns = json_object_get(root, "result_columns");
    for (size_t i = 0; i < json_array_size(columns); ++i)
        if (str_equal(json_string_value(json_array_get(columns, i)), name)) return json_array_get(row, i);
    return NULL;
}

// "name(512, 'fp16')": the texts of the parameters, the last one fastest; the name alone without parameters.
static void add_name(const json_t *params, const char *name, size_t combination, struct strbuf *out) {
    const size_t count = json_array_size(params);
    size_t stride = 1;
    for (size_t i = 0; i < count; ++i) {
        const size_t values = json_array_size(json_array_get(params, i));
        stride *= values && stride <= COMBINATIONS_MAX ? values : 1;
    }
    strbuf_add(out, name);
    for (size_t i = 0; i < count; ++i) {
        const json_t *values = json_array_get(params, i);
        if (!json_array_size(values)) continue;
        stride /= json_array_size(values);
        const size_t at = stride ? combination / stride % json_array_size(values) : 0;
        strbuf_addf(out, "%s%s", i ? ", " : "(", str_or(json_string_value(json_array_get(values, at)), "?"));
    }
    if (count) strbuf_add(out, ")");
}

// Where a benchmark failed as a whole, its parameters say how many combinations there are, if it states them.
static size_t combinations_of(const json_t *root, const json_t *row) {
    const json_t *params = column_of(root, row, "params");
    const size_t samples = json_array_size(column_of(root, row, "samples"));
    const size_t results = json_array_size(column_of(root, row, "result"));
    size_t count = 1;
    if (samples || results) return samples > results ? samples : results;
    for (size_t i = 0; i < json_array_size(params) && count <= COMBINATIONS_MAX; ++i)
        count *= json_array_size(json_array_get(params, i));
    return count;
}

// A number without samples, "NaN" for skipped, null for failed.
static void add_figure(const json_t *figure, const char *name, struct result *result) {
    if (json_is_number(figure)) {
        external_summary_add(result, name, json_number_value(figure) * 1e9);
        return;
    }
    struct result_case *item = external_case_add(result, name, 0);
    if (json_is_string(figure))
        external_case_skip(item, "asv skipped it");
    else
        external_case_refuse(item, REASON_CHECK_FAILED, "it failed");
}

static int combination_parse(const struct json_at *at, const char *name, const json_t *row, size_t index,
                             struct result *result, struct err *err) {
    const json_t *samples = json_array_get(column_of(at->value, row, "samples"), index);
    const json_t *median =
        json_is_number(row) ? row : json_array_get(column_of(at->value, row, "result"), index);
    struct strbuf full = {0};
    int code = 0;
    add_name(column_of(at->value, row, "params"), name, index, &full);
    if (json_array_size(samples))
        code = external_times_add(result, at->where, full.text, samples, 1e9, err);
    else
        add_figure(median, full.text, result);
    strbuf_fini(&full);
    return code;
}

static int document_parse(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *results = NULL;
    const char *name;
    json_t *row;
    size_t count = 0;
    TRY(json_get_object(at, "results", &results, err));
    json_object_foreach(results, name, row) {
        const size_t combinations = combinations_of(at->value, row);
        if (combinations > COMBINATIONS_MAX)
            return err_set(err, ERR_DATA, "%s: '%s' has %zu combinations of parameters; the limit is %zu",
                           at->where, str_shown(name).text, combinations, COMBINATIONS_MAX);
        count += is_time(name) ? combinations : 0;
    }
    TRY(external_reserve(at->where, count, result, err));
    json_object_foreach(results, name, row) {
        for (size_t i = 0; is_time(name) && i < combinations_of(at->value, row); ++i)
            TRY(combination_parse(at, name, row, i, result, err));
    }
    return 0;
}

// "box: AMD EPYC 7763, 8 processors, Python 3.12": what must agree.
static void add_machine(const json_t *root, struct strbuf *out) {
    const json_t *params = json_object_get(root, "params");
    const char *machine = json_string_value(json_object_get(params, "machine"));
    const char *cpu = json_string_value(json_object_get(params, "cpu"));
    const char *count = json_string_value(json_object_get(params, "num_cpu"));
    const char *python = json_string_value(json_object_get(root, "python"));
    if (machine) comma_add(out, machine);
    if (cpu && *cpu) comma_add(out, cpu);
    if (count && *count) comma_addf(out, "%s processors", count);
    if (python && *python) comma_addf(out, "Python %s", python);
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    struct strbuf stated = {0};
    TRY(external_read(NAME, source, NULL, document_parse, ret, err));
    add_machine(source->root, &stated);
    external_machine_set(ret, strbuf_text(&stated));
    strbuf_fini(&stated);
    return 0;
}

const struct format format_asv = {
    .name = NAME,
    .title = "a result file of asv",
    .summary = "airspeed velocity's result file, benchmarks of time",
    .is_mine = is_mine,
    .read = read_document,
    .bare_numbers = BARE_AS_TEXT,
};
