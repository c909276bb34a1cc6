// SPDX-License-Identifier: Apache-2.0
//
// google-benchmark's JSON (--benchmark_format=json or --benchmark_out). Rows with the same run_name are
// repetitions of one benchmark, and each repetition is one sample: the real_time of all its iterations.
// Aggregate rows only repeat that and are skipped; a file with nothing else cannot be compared.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "format/external_format.h"
#include "format/format.h"
#include "record/field.h"

#define NAME     "google-benchmark"
#define ROWS_MAX ((size_t)1 << 20)

enum row_kind { ROW_INVALID = 0, ROW_ITERATION, ROW_AGGREGATE };

struct row {
    const char *run_name;  // borrowed from the document, or in the result's arena
    const char *aggregate; // "median"; NULL: a repetition, or not stated
    size_t index, group;   // in benchmarks[]; the group's first row there
    enum row_kind kind;
    int64_t family, instance, repetition; // -1: not stated (older writers)
    int64_t repetitions, threads;         // 0: not stated
    const json_t *value;
};

// State while one document is read.
struct reading {
    struct json_at at;
    const json_t *benchmarks;
    struct row *rows; // by their group, then in the document's order
    size_t row_count;
    struct result *result;
};

static bool is_mine(const json_t *root) {
    return json_is_object(json_object_get(root, "context")) &&
           json_is_array(json_object_get(root, "benchmarks"));
}

// ---- context ----

static int context_parse(const struct json_at *at, struct result *result, struct err *err) {
    const char *host = NULL, *executable = NULL, *version = NULL, *build = NULL, *date = NULL, *uuid = NULL;
    int64_t cpu_count = 0, mhz = 0;
    bool is_scaling = false;
    struct arena *arena = &result->arena;
    struct environment *environment = &result->environment;
    TRY(json_find_string(at, "host_name", &host, err));
    TRY(json_find_string(at, "executable", &executable, err));
    TRY(json_find_string(at, "library_version", &version, err));
    TRY(json_find_string(at, "library_build_type", &build, err));
    TRY(json_find_string(at, "date", &date, err));
    TRY(json_find_string(at, "gpu_uuid", &uuid, err)); // a custom key that names the GPU, if any
    TRY(field_find_i64(at, "num_cpus", 0, &cpu_count, err));
    TRY(field_find_i64(at, "mhz_per_cpu", 0, &mhz, err));
    int has_scaling = json_find_bool(at, "cpu_scaling_enabled", &is_scaling, err);
    TRY(has_scaling);
    environment->host = external_text(arena, host);
    result->created_utc = external_text(arena, date);
    result->suite =
        arena_format(arena, "%s, " NAME "%s%s", str_or(external_text(arena, executable), "a program"),
                     version ? " " : "", str_or(external_text(arena, version), ""));
    if (host || cpu_count || uuid) {
        const char *machine = str_or(environment->host, "a host without a name");
        if (cpu_count) machine = arena_format(arena, "%s, %" PRId64 " processors", machine, cpu_count);
        if (uuid) machine = arena_format(arena, "%s, %s", machine, external_text(arena, uuid));
        environment->device_uuid = machine; // must agree; the clock, which is measured, need not
        environment->device_name = mhz ? arena_format(arena, "%s at %" PRId64 " MHz", machine, mhz) : machine;
    }
    if (has_scaling == 1)
        environment->clock_policy = is_scaling ? "frequency scaling on" : "frequency scaling off";
    if (is_scaling)
        result_add_warning(result, "the processor's frequency scaling was on: times follow the clock");
    if (str_equal(build, "debug"))
        result_add_warning(
            result, "the google-benchmark library was built in debug mode: its own part of short times "
                    "is larger");
    return 0;
}

// ---- rows ----

// Before version 1.5 a row has a name alone, to which an aggregate adds what it is: "BM_x_median".
static int old_row_parse(const struct json_at *at, struct arena *arena, struct row *ret, struct err *err) {
    static const char *const aggregates[] = {"mean", "median", "stddev", "BigO", "RMS"};
    const char *name = NULL;
    TRY(json_get_string(at, "name", &name, err));
    ret->run_name = name;
    ret->kind = ROW_ITERATION;
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; ++i) {
        const size_t length = strlen(name), tail = strlen(aggregates[i]) + 1;
        if (length <= tail || name[length - tail] != '_' || !str_ends(name, aggregates[i])) continue;
        ret->run_name = arena_strndup(arena, name, length - tail);
        ret->aggregate = aggregates[i];
        ret->kind = ROW_AGGREGATE;
    }
    return 0;
}

static int row_parse(const struct json_at *at, struct arena *arena, size_t index, struct row *ret,
                     struct err *err) {
    const char *run_type = NULL;
    *ret = (struct row){.index = index, .family = -1, .instance = -1, .repetition = -1, .value = at->value};
    TRY(json_find_string(at, "run_name", &ret->run_name, err));
    if (!ret->run_name) return old_row_parse(at, arena, ret, err);
    TRY(json_get_string(at, "run_type", &run_type, err));
    TRY(json_find_string(at, "aggregate_name", &ret->aggregate, err));
    ret->kind = str_equal(run_type, "iteration")   ? ROW_ITERATION
                : str_equal(run_type, "aggregate") ? ROW_AGGREGATE
                                                   : ROW_INVALID;
    if (ret->kind == ROW_INVALID) return field_refuse_name(at, "run_type", run_type, err);
    TRY(json_find_i64(at, "family_index", &ret->family, err));
    TRY(json_find_i64(at, "per_family_instance_index", &ret->instance, err));
    TRY(json_find_i64(at, "repetition_index", &ret->repetition, err));
    TRY(json_find_i64(at, "repetitions", &ret->repetitions, err));
    TRY(field_find_i64(at, "threads", 0, &ret->threads, err));
    return 0;
}

static int by_name(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    int order = strcmp(a->run_name, b->run_name);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int by_group(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    int order = (a->group > b->group) - (a->group < b->group);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int rows_parse(struct reading *reading, struct err *err) {
    size_t iteration_count = 0;
    TRY(field_get_items(&reading->at, "benchmarks", ROWS_MAX, &reading->benchmarks, &reading->row_count,
                        err));
    reading->rows = mem_try_array(reading->row_count + 1, sizeof *reading->rows);
    if (!reading->rows)
        return err_set(err, ERR_INTERNAL, "not enough memory for %zu rows", reading->row_count);
    for (size_t i = 0; i < reading->row_count; ++i) {
        struct field_place place;
        field_enter_item(&place, &reading->at, "benchmarks", i, json_array_get(reading->benchmarks, i));
        TRY(row_parse(&place.at, &reading->result->arena, i, &reading->rows[i], err));
        iteration_count += reading->rows[i].kind == ROW_ITERATION;
    }
    if (reading->row_count && !iteration_count)
        return err_set(err, ERR_DATA,
                       "%s: only aggregates, and no repetition is left in it; run the benchmark with "
                       "--benchmark_repetitions=20 and without --benchmark_report_aggregates_only",
                       reading->at.where);
    return 0;
}

// ---- one benchmark: the rows of one run_name ----

static int by_number(const void *left, const void *right) {
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

// Rejects two benchmarks with one name, which cannot be told apart: family indices or numbers of threads
// differ, a repetition occurs twice or, from older writers that do not number them, there are more rows than
// repetitions.
static int check_unique(const struct reading *reading, const struct row *rows, size_t count,
                        struct err *err) {
    int64_t *seen = mem_alloc(count * sizeof *seen);
    size_t seen_count = 0, row_count = 0;
    const struct row *first = NULL;
    bool is_twice = false;
    for (size_t i = 0; i < count; ++i) {
        const struct row *row = &rows[i];
        if (row->kind != ROW_ITERATION) continue;
        if (!first) first = row;
        is_twice |= row->family != first->family || row->instance != first->instance ||
                    row->threads != first->threads;
        ++row_count;
        if (row->repetition >= 0) seen[seen_count++] = row->repetition;
    }
    if (seen_count) qsort(seen, seen_count, sizeof *seen, by_number);
    for (size_t i = 1; i < seen_count; ++i) is_twice |= seen[i] == seen[i - 1];
    free(seen);
    is_twice |=
        first && first->repetitions > 0 && seen_count < row_count && row_count > (uint64_t)first->repetitions;
    if (!is_twice) return 0;
    return err_set(err, ERR_DATA, "%s: two benchmarks have the run_name '%s'; names must be unique",
                   reading->at.where, str_shown(rows->run_name).text);
}

static int unit_parse(const struct json_at *at, double *ret_ns, struct err *err) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *name = NULL;
    TRY(json_get_string(at, "time_unit", &name, err));
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        if (!str_equal(units[i].name, name)) continue;
        *ret_ns = units[i].ns;
        return 0;
    }
    return field_refuse_name(at, "time_unit", name, err);
}

static int sample_parse(const struct json_at *at, struct result *result, struct result_case *item,
                        struct err *err) {
    double unit_ns = 0, real_time = NAN; // null replaced a NaN or Infinity of the text
    int64_t iterations = 0;
    bool is_error = false, is_skipped = false;
    const char *message = NULL;
    TRY(json_find_bool(at, "error_occurred", &is_error, err));
    TRY(json_find_bool(at, "skipped", &is_skipped, err));
    TRY(json_find_string(at, is_error ? "error_message" : "skip_message", &message, err));
    if (is_error) {
        const char *text = str_or(external_text(&result->arena, message), "no message");
        external_case_refuse(item, REASON_CHECK_FAILED,
                             arena_format(&result->arena, "the benchmark failed: %s", text));
        return 0;
    }
    if (is_skipped) {
        external_case_skip(item, message);
        return 0;
    }
    TRY(json_get_i64(at, "iterations", &iterations, err));
    TRY(unit_parse(at, &unit_ns, err));
    if (!json_is_null(json_object_get(at->value, "real_time")))
        TRY(json_get_double(at, "real_time", &real_time, err));
    if (iterations > 0 && external_sample_add(item, real_time * unit_ns, (uint64_t)iterations, NAN)) return 0;
    ++item->left_out_count;
    if (item->unusable_reason != REASON_NONE) return 0; // the first reason stands: no words for the others
    size_t number = item->rounds[0].samples[0].count + 1;
    const char *words =
        iterations <= 0
            ? arena_format(&result->arena, "repetition %zu has %" PRId64 " iterations", number, iterations)
        : isnan(real_time)
            ? arena_format(&result->arena, "repetition %zu: its real_time is NaN or infinite", number)
            : arena_format(&result->arena, "repetition %zu: its real_time is %g, which is no time", number,
                           real_time);
    external_case_refuse(item, REASON_BAD_TIMES, words);
    return 0;
}

static int group_parse(const struct reading *reading, const struct row *rows, size_t count, struct err *err) {
    size_t iteration_count = 0, complexity_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const struct row *row = &rows[i];
        const bool is_complexity = str_equal(row->aggregate, "BigO") || str_equal(row->aggregate, "RMS");
        iteration_count += row->kind == ROW_ITERATION;
        complexity_count += row->kind == ROW_AGGREGATE && is_complexity;
    }
    // Complexity rows (BigO, RMS) have the name shared by all instances and are no benchmark.
    if (complexity_count == count) return 0;
    TRY(check_unique(reading, rows, count, err));
    struct result_case *item = external_case_add(reading->result, rows->run_name, iteration_count);
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        if (rows[i].kind != ROW_ITERATION) continue;
        item->external_thread_count = rows[i].threads;
        field_enter_item(&place, &reading->at, "benchmarks", rows[i].index, rows[i].value);
        TRY(sample_parse(&place.at, reading->result, item, err));
    }
    if (iteration_count == 0)
        external_case_refuse(
            item, REASON_TOO_FEW_SAMPLES,
            "only aggregates are in the file: run it with --benchmark_repetitions=20, without reporting "
            "aggregates only");
    else if (iteration_count == 1)
        external_case_refuse(item, REASON_TOO_FEW_SAMPLES,
                             "a single repetition has no spread: run it with --benchmark_repetitions=20");
    return 0;
}

static int groups_parse(struct reading *reading, struct err *err) {
    struct row *rows = reading->rows;
    size_t group_count = 0;
    qsort(rows, reading->row_count, sizeof *rows, by_name);
    for (size_t i = 0; i < reading->row_count; ++i) {
        const bool is_first = i == 0 || !str_equal(rows[i - 1].run_name, rows[i].run_name);
        rows[i].group = is_first ? rows[i].index : rows[i - 1].group;
        group_count += is_first;
    }
    qsort(rows, reading->row_count, sizeof *rows, by_group);
    TRY(external_reserve(reading->at.where, group_count, reading->result, err));
    for (size_t i = 0, count; i < reading->row_count; i += count) {
        for (count = 1; i + count < reading->row_count && rows[i + count].group == rows[i].group;) ++count;
        TRY(group_parse(reading, &rows[i], count, err));
    }
    return 0;
}

static int document_parse(struct reading *reading, struct err *err) {
    const json_t *context = NULL;
    struct field_place place;
    TRY(rows_parse(reading, err));
    TRY(json_get_object(&reading->at, "context", &context, err));
    TRY(groups_parse(reading, err));
    field_enter(&place, &reading->at, "context", context);
    TRY(context_parse(&place.at, reading->result, err));
    reading->result->run_id = arena_strdup(&reading->result->arena, reading->at.where);
    return external_end(reading->at.where, reading->result, err);
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    struct result result;
    struct reading reading = {.at = {source->root, source->where}, .result = &result};
    external_begin(NAME, &result);
    int code = document_parse(&reading, err);
    free(reading.rows);
    if (code < 0)
        result_fini(&result);
    else
        *ret = result;
    return code;
}

const struct format format_google_benchmark = {
    .name = NAME,
    .title = "a google-benchmark file",
    .summary = "google-benchmark's JSON (\"context\" and \"benchmarks\"), with repetitions",
    .is_mine = is_mine,
    .read = read_document,
    .bare_numbers = BARE_AS_NULL,
};
