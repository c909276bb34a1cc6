// SPDX-License-Identifier: Apache-2.0
//
// Bencher Metric Format: `latency` of each benchmark in nanoseconds, a summary.
#include "format/external_format.h"
#include "format/format.h"
#include "record/field.h"

#define NAME "bencher"

static const json_t *latency_of(const json_t *benchmark) {
    return json_object_get(json_object_get(benchmark, "latency"), "value");
}

// Every member is an object of measures, and one of them has a latency.
static bool is_mine(const json_t *root) {
    const char *name;
    json_t *benchmark;
    bool has_latency = false;
    json_object_foreach(root, name, benchmark) {
        if (!json_is_object(benchmark)) return false;
        has_latency = has_latency || json_is_number(latency_of(benchmark));
    }
    return has_latency;
}

static int document_parse(const struct json_at *at, struct result *result, struct err *err) {
    const char *name;
    json_t *benchmark;
    TRY(external_reserve(at->where, json_object_size(at->value), result, err));
    json_object_foreach(at->value, name, benchmark) {
        if (json_is_number(latency_of(benchmark)))
            external_summary_add(result, name, json_number_value(latency_of(benchmark)));
    }
    return 0;
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    return external_read(NAME, source, NULL, document_parse, ret, err);
}

const struct format format_bencher = {
    .name = NAME,
    .title = "a file in Bencher Metric Format",
    .summary = "Bencher Metric Format (summaries: nothing is proved from them)",
    .is_mine = is_mine,
    .read = read_document,
};
