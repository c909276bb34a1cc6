// SPDX-License-Identifier: Apache-2.0
//
// Files that people try and no format reads: what they look like, and which file to give instead.
#include <string.h>

#include "base/strbuf.h"
#include "format/format.h"

static bool is_assay_kind(const json_t *root) {
    const char *kind = json_string_value(json_object_get(root, "kind"));
    return kind && str_starts(kind, "assay.");
}

static bool is_criterion_estimates(const json_t *root) {
    return json_is_object(json_object_get(json_object_get(root, "mean"), "confidence_interval"));
}

static bool is_criterion_benchmark(const json_t *root) {
    return json_object_get(root, "group_id") && json_object_get(root, "full_id");
}

// Each benchmark with its source; the number "version" stands beside them.
static bool is_asv_benchmarks(const json_t *root) {
    const char *name;
    json_t *item;
    if (!json_is_number(json_object_get(root, "version"))) return false;
    json_object_foreach(root, name, item) {
        if (json_is_object(item)) return json_object_get(item, "code") && json_object_get(item, "timeout");
    }
    return false;
}

static bool is_google_without_context(const json_t *root) {
    const json_t *first = json_array_get(json_object_get(root, "benchmarks"), 0);
    const bool is_row = json_object_get(first, "run_type") || json_object_get(first, "real_time");
    return is_row && !json_object_get(root, "context");
}

static bool is_jmh(const json_t *root) {
    return json_is_object(json_object_get(json_array_get(root, 0), "primaryMetric"));
}

static bool is_benchmark_dotnet(const json_t *root) {
    return json_is_object(json_object_get(root, "HostEnvironmentInfo"));
}

const char *format_lookalike(const json_t *root) {
    static const struct {
        bool (*is_it)(const json_t *root);
        const char *words;
    } table[] = {
        {is_assay_kind, "a document of assay that is no result: give a run's result.json"},
        {is_criterion_estimates, "Criterion.rs's estimates.json: give the sample.json beside it"},
        {is_criterion_benchmark, "Criterion.rs's benchmark.json: give the sample.json beside it"},
        {is_asv_benchmarks, "asv's list of benchmarks: give two files of results/MACHINE/"},
        {is_google_without_context, "google-benchmark's without its 'context', which names the machine"},
        {is_jmh, "JMH's"},
        {is_benchmark_dotnet, "BenchmarkDotNet's"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (table[i].is_it(root)) return table[i].words;
    return NULL;
}

static bool has_text(const char *text, size_t length, const char *wanted) {
    return memmem(text, length, wanted, strlen(wanted)) != NULL;
}

// triton.testing.perf_report: rows are numbered, and the number's column has no name.
static bool is_perf_report(const char *text, size_t length) {
    if (length && text[0] == ' ') ++text, --length;
    const char *end = memchr(text, '\n', length);
    const char *row = end ? end + 1 : NULL;
    return row && length && text[0] == ',' && (size_t)(row - text) + 2 < length && row[0] == '0' &&
           row[1] == ',';
}

static bool is_cargo_bench(const char *text, size_t length) {
    return has_text(text, length, "... bench:") && has_text(text, length, "ns/iter");
}

static bool is_catch2(const char *text, size_t length) {
    return has_text(text, length, "benchmark name") && has_text(text, length, "est run time");
}

static bool is_criterion_text(const char *text, size_t length) {
    return has_text(text, length, "time:   [") || has_text(text, length, "Benchmarking ");
}

const char *format_lookalike_text(const char *text, size_t length) {
    static const struct {
        bool (*is_it)(const char *text, size_t length);
        const char *words;
    } table[] = {
        {is_perf_report,
         "the CSV of triton.testing.perf_report, which has one number for each point "
         "and not its unit: measure the function itself, with assay bench --kernel MODULE:FUNCTION"},
        {is_cargo_bench, "the text of cargo bench, which has no samples: give Criterion.rs's sample.json"},
        {is_catch2, "the text of Catch2, which has no samples: use google-benchmark's JSON with repetitions"},
        {is_criterion_text, "what Criterion.rs prints: give target/criterion/NAME/new/sample.json"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (length && table[i].is_it(text, length)) return table[i].words;
    return NULL;
}
