// SPDX-License-Identifier: Apache-2.0
//
// The text of `go test -bench`: a line is one run of a benchmark, the mean time of N iterations; with -count
// K there are K of them, which are the samples. What else a line says (B/op, allocs/op) is left out.
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "format/external_format.h"
#include "format/format.h"
#include "record/field.h"

#define NAME       "go"
#define LINE_BYTES 1024 // longer ones are no line of a benchmark

// "cpu: AMD EPYC 7763" of the head, or NULL.
static const char *head_value(const char *line, const char *key) {
    const size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && strncmp(line + length, ": ", 2) == 0 ? line + length + 2 : NULL;
}

// "BenchmarkGemm/n=512-8   100   10234567 ns/op": false: it is another line.
static bool parse_line(char *line, const char **ret_name, double *ret_iterations, double *ret_time_ns) {
    char *state = NULL, *end;
    const char *name = strtok_r(line, " \t", &state), *count = strtok_r(NULL, " \t", &state);
    const char *time = strtok_r(NULL, " \t", &state), *unit = strtok_r(NULL, " \t", &state);
    if (!name || !count || !time || !unit || !str_starts(name, "Benchmark") || !str_equal(unit, "ns/op"))
        return false;
    *ret_name = name;
    *ret_iterations = strtod(count, &end);
    if (*end || !(*ret_iterations >= 1)) return false;
    *ret_time_ns = strtod(time, &end);
    return !*end;
}

static bool from_text(const char *text, size_t length, struct strbuf *ret_json) {
    char line[LINE_BYTES], package[LINE_BYTES] = "", processor[LINE_BYTES] = "";
    const char *name;
    double iterations, time_ns;
    size_t count = 0;
    struct json_writer w = json_writer_make(ret_json, 0);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "go_benchmarks");
    for (const char *at = text, *end = text + length, *next; at < end; at = next) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t size = (size_t)((newline ? newline : end) - at);
        next = newline ? newline + 1 : end;
        if (size >= sizeof line || memchr(at, 0, size)) continue;
        memcpy(line, at, size);
        line[size && at[size - 1] == '\r' ? size - 1 : size] = 0;
        const char *cpu = head_value(line, "cpu"), *pkg = head_value(line, "pkg");
        if (cpu) memcpy(processor, cpu, strlen(cpu) + 1);
        if (pkg) memcpy(package, pkg, strlen(pkg) + 1);
        if (!parse_line(line, &name, &iterations, &time_ns)) continue;
        char *full = mem_format("%s%s%s", package, *package ? "." : "", name);
        json_object_begin(&w, NULL);
        json_write_string(&w, "name", full);
        json_write_double(&w, "iterations", iterations);
        json_write_double(&w, "ns_per_op", time_ns);
        json_object_end(&w);
        free(full);
        ++count;
    }
    json_array_end(&w);
    if (*processor) json_write_string(&w, "cpu", processor);
    json_object_end(&w);
    return count > 0;
}

static bool is_mine(const json_t *root) {
    return json_is_array(json_object_get(root, "go_benchmarks"));
}

// A line, and where it stands among the others.
struct run {
    const char *name;
    size_t at;
    double iterations, time_ns;
};

static int compare_names(const void *a, const void *b) {
    const struct run *left = a, *right = b;
    const int order = strcmp(left->name, right->name);
    return order ? order : left->at < right->at ? -1 : left->at > right->at;
}

static void add_samples(const struct run *runs, size_t count, struct result *result) {
    struct result_case *item = external_case_add(result, runs[0].name, count);
    for (size_t i = 0; i < count; ++i)
        external_mean_add(item, runs[i].time_ns, runs[i].iterations,
                          "one of its times is not finite and positive");
}

static int read_runs(const struct json_at *at, const json_t *lines, struct run *runs, struct err *err) {
    for (size_t i = 0; i < json_array_size(lines); ++i) {
        struct field_place place;
        field_enter_item(&place, at, "go_benchmarks", i, json_array_get(lines, i));
        runs[i].at = i;
        TRY(json_get_string(&place.at, "name", &runs[i].name, err));
        TRY(json_get_double(&place.at, "iterations", &runs[i].iterations, err));
        TRY(json_get_double(&place.at, "ns_per_op", &runs[i].time_ns, err));
    }
    return 0;
}

// Benchmarks by name, the lines of each in their order.
static int document_parse(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *lines = NULL;
    size_t count = 0;
    TRY(field_get_items(at, "go_benchmarks", EXTERNAL_TIMES_MAX, &lines, &count, err));
    struct run *runs = mem_alloc((count + 1) * sizeof *runs);
    int code = read_runs(at, lines, runs, err);
    if (code == 0) qsort(runs, count, sizeof *runs, compare_names);
    size_t names = 0;
    for (size_t i = 0; code == 0 && i < count; ++i) names += !i || !str_equal(runs[i].name, runs[i - 1].name);
    if (code == 0) code = external_reserve(at->where, names, result, err);
    for (size_t i = 0, next; code == 0 && i < count; i = next) {
        for (next = i + 1; next < count && str_equal(runs[next].name, runs[i].name);) ++next;
        add_samples(runs + i, next - i, result);
    }
    free(runs);
    return code;
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    TRY(external_read(NAME, source, NULL, document_parse, ret, err));
    external_machine_set(ret, json_string_value(json_object_get(source->root, "cpu")));
    return 0;
}

const struct format format_go = {
    .name = NAME,
    .title = "the text of go test -bench",
    .summary = "the text of go test -bench, a sample a line (-count 20)",
    .is_mine = is_mine,
    .read = read_document,
    .from_text = from_text,
};
