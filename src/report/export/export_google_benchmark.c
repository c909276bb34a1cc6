// SPDX-License-Identifier: Apache-2.0
//
// google-benchmark's JSON. Every sample that counts is a repetition, so that tools which read those
// (compare.py, assay itself) have raw times; then the aggregates. Times are of one launch.
#include <stdlib.h>

#include "base/json_writer.h"
#include "report/export/export.h"

struct row {
    const struct exported *one;
    size_t family, repetitions;
};

static void write_context(struct json_writer *w, const struct result *result) {
    const struct environment *environment = &result->environment;
    json_object_begin(w, "context");
    json_maybe_string(w, "date", result->created_utc);
    json_maybe_string(w, "host_name", environment->host);
    json_write_string(w, "executable", "assay");
    json_maybe_string(w, "library_version", environment->assay_version);
    json_write_string(w, "library_build_type", "release");
    json_write_i64(w, "json_schema_version", 1);
    json_maybe_string(w, "device", environment->device_name);
    json_maybe_string(w, "device_uuid", environment->device_uuid);
    json_maybe_string(w, "run_id", result->run_id);
    json_object_end(w);
}

static void begin_row(struct json_writer *w, const struct row *row, const char *suffix, struct arena *arena) {
    json_object_begin(w, NULL);
    json_write_string(w, "name", arena_format(arena, "%s%s", row->one->name, suffix));
    json_write_u64(w, "family_index", row->family);
    json_write_i64(w, "per_family_instance_index", 0);
    json_write_string(w, "run_name", row->one->name);
    json_write_string(w, "run_type", *suffix ? "aggregate" : "iteration");
    json_write_u64(w, "repetitions", row->repetitions);
    json_write_i64(w, "threads", 1);
}

static void end_row(struct json_writer *w, double ns) {
    json_write_double(w, "real_time", ns);
    json_write_double(w, "cpu_time", ns);
    json_write_string(w, "time_unit", "ns");
    json_object_end(w);
}

static void write_aggregates(struct json_writer *w, const struct row *row, struct arena *arena) {
    const struct case_summary *f = row->one->figures;
    const struct {
        const char *name;
        double ns;
    } aggregates[] = {{"mean", f->mean_ns}, {"median", f->median_ns}, {"stddev", f->sd_ns}};
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; ++i) {
        begin_row(w, row, arena_format(arena, "_%s", aggregates[i].name), arena);
        json_write_string(w, "aggregate_name", aggregates[i].name);
        json_write_string(w, "aggregate_unit", "time");
        json_write_u64(w, "iterations", row->repetitions);
        end_row(w, aggregates[i].ns);
    }
}

static void write_benchmark(struct json_writer *w, const struct result *result, const struct exported *one,
                            size_t family, struct arena *arena) {
    double *times_ns = NULL;
    const size_t count = result_case_times(one->item, (uint32_t)(one->side - result->sides), &times_ns);
    const struct row row = {one, family, count};
    for (size_t i = 0; i < count; ++i) {
        begin_row(w, &row, "", arena);
        json_write_u64(w, "repetition_index", i);
        json_write_i64(w, "iterations", 1);
        end_row(w, times_ns[i]);
    }
    if (count) write_aggregates(w, &row, arena);
    free(times_ns);
}

int export_google_benchmark_print(const struct result *result, const struct report_options *options,
                                  struct strbuf *out) {
    struct arena arena = {0};
    struct json_writer w = json_writer_make(out, 1);
    const struct exported *list;
    const size_t count = export_list(result, &arena, &list);
    (void)options;
    json_object_begin(&w, NULL);
    write_context(&w, result);
    json_array_begin(&w, "benchmarks");
    for (size_t i = 0; i < count; ++i) write_benchmark(&w, result, &list[i], i, &arena);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
    arena_fini(&arena);
    return 0;
}
