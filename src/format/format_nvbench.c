// SPDX-License-Identifier: Apache-2.0
//
// NVBench's JSON with the raw samples in files next to it (--jsonbin). A state becomes a case, with the GPU
// times of single cold launches from the file that a summary names, and the SM clock during each. Summaries
// alone (--json) hold a median without a spread and cannot be compared. NVBench writes numbers as strings;
// they are parsed strictly.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/term.h"
#include "format/external_format.h"
#include "format/float_file.h"
#include "format/format.h"
#include "record/field.h"

#define NAME               "nvbench"
#define JSON_VERSION_MAJOR 1
#define DEVICES_MAX        64
#define BENCHMARKS_MAX     RESULT_CASES_MAX
#define SUMMARIES_MAX      1024
#define VALUES_MAX         1024
// Limit for one document: states may name the same file any number of times.
#define ALL_SAMPLES_MAX ((size_t)1 << 24)
#define TAG_TIMES       "nv/json/bin:nv/cold/sample_times"
#define TAG_TIMES_CPU   "nv/json/bin:nv/cpu_only/sample_times"
#define TAG_CLOCKS      "nv/json/freqs-bin:nv/cold/sample_freqs"
#define TAG_MEAN        "nv/cold/time/gpu/mean"
#define TAG_MEDIAN      "nv/cold/time/gpu/median"
#define TAG_NOISE       "nv/cold/time/gpu/stdev/relative"
// Times are float32 seconds: below 8 ms their steps are shorter than a nanosecond. A time is stored as that
// of a thousand launches, which keeps picoseconds, so that rounding adds no ties.
#define TIME_LAUNCHES 1000

struct device {
    int64_t id;
    const char *name, *fingerprint;
    bool is_used;
};

struct reading {
    struct json_at at;
    const char *folder;
    struct result *result;
    size_t device_count, used_count, state_count, sample_count;
    size_t bad_clock_count; // states with a clock that is not finite and positive
    // Of states without samples: standard deviations that NVBench states, of the mean.
    size_t noise_count;
    double noise_least, noise_most;
    struct device devices[DEVICES_MAX];
};

static bool is_mine(const json_t *root) {
    const json_t *version = json_object_get(json_object_get(root, "meta"), "version");
    return json_is_object(json_object_get(version, "nvbench")) && json_object_get(root, "benchmarks");
}

// ---- meta and devices ----

static int meta_parse(struct reading *reading, struct err *err) {
    const json_t *object = NULL;
    struct field_place meta, version, part;
    int64_t major = JSON_VERSION_MAJOR;
    const char *text = NULL, *revision = NULL;
    struct arena *arena = &reading->result->arena;
    TRY(json_get_object(&reading->at, "meta", &object, err));
    field_enter(&meta, &reading->at, "meta", object);
    TRY(json_get_object(&meta.at, "version", &object, err));
    field_enter(&version, &meta.at, "version", object);
    TRY(json_get_object(&version.at, "json", &object, err));
    field_enter(&part, &version.at, "json", object);
    TRY(json_get_i64(&part.at, "major", &major, err));
    if (major != JSON_VERSION_MAJOR)
        return err_set(err, ERR_DATA,
                       "%s: key 'major' is %" PRId64 ", but this program reads version %d of NVBench's JSON",
                       part.where, major, JSON_VERSION_MAJOR);
    TRY(json_get_object(&version.at, "nvbench", &object, err));
    field_enter(&part, &version.at, "nvbench", object);
    TRY(json_find_string(&part.at, "string", &text, err));
    TRY(json_find_string(&part.at, "git_sha", &revision, err));
    reading->result->suite =
        arena_format(arena, "NVBench %s%s%s", str_or(external_text(arena, text), "of an unknown version"),
                     revision ? ", revision " : "", str_or(external_text(arena, revision), ""));
    return 0;
}

static int devices_parse(struct reading *reading, struct err *err) {
    const json_t *items = NULL;
    struct arena *arena = &reading->result->arena;
    TRY(field_find_items(&reading->at, "devices", DEVICES_MAX, &items, &reading->device_count, err));
    for (size_t i = 0; i < reading->device_count; ++i) {
        struct device *device = &reading->devices[i];
        struct field_place place;
        const char *name = NULL;
        int64_t sm_version = 0, sm_count = 0;
        bool has_ecc = false;
        field_enter_item(&place, &reading->at, "devices", i, json_array_get(items, i));
        TRY(json_get_i64(&place.at, "id", &device->id, err));
        TRY(json_get_string(&place.at, "name", &name, err));
        TRY(json_find_i64(&place.at, "sm_version", &sm_version, err));
        TRY(json_find_i64(&place.at, "number_of_sms", &sm_count, err));
        int found = json_find_bool(&place.at, "ecc_state", &has_ecc, err);
        TRY(found);
        const char *ecc = found == 0 ? "" : has_ecc ? ", ECC on" : ", ECC off";
        device->name = external_text(arena, name);
        device->fingerprint = arena_format(arena, "%s, sm %" PRId64 ", %" PRId64 " multiprocessors%s",
                                           device->name, sm_version, sm_count, ecc);
        for (size_t k = 0; k < i; ++k)
            if (reading->devices[k].id == device->id)
                return err_set(err, ERR_DATA, "%s: key 'id' is that of devices[%zu] too", place.where, k);
    }
    return 0;
}

static void set_environment(struct reading *reading) {
    struct strbuf names = {0}, fingerprints = {0};
    struct environment *environment = &reading->result->environment;
    struct arena *arena = &reading->result->arena;
    for (size_t i = 0; i < reading->device_count; ++i) {
        const struct device *device = &reading->devices[i];
        if (!device->is_used) continue;
        const char *between = names.length ? "; " : "";
        strbuf_addf(&names, "%s%s", between, device->name);
        size_t before = 0; // devices of the same model are named once
        while (!reading->devices[before].is_used ||
               !str_equal(reading->devices[before].fingerprint, device->fingerprint))
            ++before;
        if (before < i) continue;
        strbuf_addf(&fingerprints, "%s%s", between, device->fingerprint);
    }
    if (names.length) {
        environment->device_name = arena_strdup(arena, strbuf_text(&names));
        environment->device_uuid = arena_strdup(arena, strbuf_text(&fingerprints));
    }
    strbuf_fini(&names);
    strbuf_fini(&fingerprints);
    if (reading->noise_count)
        result_add_warning(
            reading->result,
            arena_format(&reading->result->arena,
                         "the noise that NVBench states, of states without samples: %.2f to %.2f %% "
                         "of the mean",
                         100 * reading->noise_least, 100 * reading->noise_most));
    if (reading->bad_clock_count)
        result_add_warning(reading->result,
                           arena_format(arena,
                                        "%zu of %zu states have clocks that are not finite and positive",
                                        reading->bad_clock_count, reading->state_count));
}

// ---- named values: {"name", "type", "value"}, the value always a string ----

// The values of a summary that are used: file name and length for a sample file, else one value.
struct values {
    bool is_there;        // the summary exists
    const char *filename; // NULL: NVBench could not write it
    int64_t size;         // -1: absent
    double value;         // NAN: absent
};

static int value_parse(const struct json_at *at, struct values *values, struct err *err) {
    const char *name = NULL, *type = NULL, *text = NULL;
    TRY(json_get_string(at, "name", &name, err));
    TRY(json_get_string(at, "type", &type, err));
    TRY(json_get_string(at, "value", &text, err));
    if (str_equal(type, "int64")) {
        long long integer = 0;
        if (str_parse_i64(text, &integer) < 0)
            return err_set(err, ERR_DATA, "%s: key 'value' is '%s', which is no 64-bit integer", at->where,
                           str_shown(text).text);
        if (str_equal(name, "size")) values->size = integer;
    } else if (str_equal(type, "float64")) {
        // The library that NVBench prints with writes these four for numbers that are not finite.
        static const char *const not_finite[] = {"nan", "-nan", "inf", "-inf"};
        double real = NAN;
        bool is_finite = true;
        for (size_t i = 0; i < sizeof not_finite / sizeof *not_finite; ++i)
            is_finite = is_finite && !str_equal(text, not_finite[i]);
        if (is_finite && str_parse_double(text, &real) < 0)
            return err_set(err, ERR_DATA, "%s: key 'value' is '%s', which is no number", at->where,
                           str_shown(text).text);
        if (str_equal(name, "value")) values->value = real;
    } else if (str_equal(type, "string") && str_equal(name, "filename")) {
        values->filename = text;
    }
    return 0;
}

static int values_parse(const struct json_at *at, const char *key, struct values *ret, struct err *err) {
    const json_t *items = NULL;
    size_t count = 0;
    *ret = (struct values){.is_there = true, .size = -1, .value = NAN};
    TRY(field_find_items(at, key, VALUES_MAX, &items, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, key, i, json_array_get(items, i));
        TRY(value_parse(&place.at, ret, err));
    }
    return 0;
}

// ---- one state ----

struct summaries {
    struct values times, times_cpu, clocks; // sample files
    double mean_s, median_s, noise;         // NAN: absent
};

static int sidecar_set(const struct json_at *at, const struct values *values, struct values *ret,
                       struct err *err) {
    if (ret->is_there)
        return err_set(err, ERR_DATA, "%s: this state has two summaries of this tag", at->where);
    *ret = *values;
    if (!values->filename || (values->size >= 0 && (uint64_t)values->size <= SAMPLES_COUNT_MAX)) return 0;
    return err_set(err, ERR_DATA, "%s: the size of '%s' must be from 0 to %zu samples", at->where,
                   str_shown(values->filename).text, SAMPLES_COUNT_MAX);
}

static int summaries_parse(const struct json_at *at, struct summaries *ret, struct err *err) {
    const json_t *items = NULL;
    size_t count = 0;
    *ret = (struct summaries){.mean_s = NAN, .median_s = NAN, .noise = NAN};
    TRY(field_find_items(at, "summaries", SUMMARIES_MAX, &items, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        struct values values;
        const char *tag = NULL;
        field_enter_item(&place, at, "summaries", i, json_array_get(items, i));
        TRY(json_get_string(&place.at, "tag", &tag, err));
        TRY(values_parse(&place.at, "data", &values, err));
        struct values *file = str_equal(tag, TAG_TIMES)       ? &ret->times
                              : str_equal(tag, TAG_TIMES_CPU) ? &ret->times_cpu
                              : str_equal(tag, TAG_CLOCKS)    ? &ret->clocks
                                                              : NULL;
        if (file) TRY(sidecar_set(&place.at, &values, file, err));
        if (str_equal(tag, TAG_MEAN)) ret->mean_s = values.value;
        if (str_equal(tag, TAG_MEDIAN)) ret->median_s = values.value;
        if (str_equal(tag, TAG_NOISE)) ret->noise = values.value;
    }
    return 0;
}

// clocks_hz: NULL when not recorded.
static void samples_add(struct reading *reading, struct result_case *item, const float *times_s,
                        const float *clocks_hz, size_t count) {
    bool has_bad_clock = false;
    for (size_t i = 0; i < count; ++i) {
        double clock_hz = clocks_hz ? (double)clocks_hz[i] : NAN;
        if (!(isfinite(clock_hz) && clock_hz > 0)) {
            has_bad_clock |= clocks_hz != NULL;
            clock_hz = NAN;
        }
        if (external_sample_add(item, 1e9 * (double)times_s[i], TIME_LAUNCHES, clock_hz)) continue;
        ++item->left_out_count;
        if (item->unusable_reason != REASON_NONE)
            continue; // the first reason stands: no words for the others
        external_case_refuse(item, REASON_BAD_TIMES,
                             arena_format(&reading->result->arena, "sample %zu is %g s, which is no time",
                                          i + 1, (double)times_s[i]));
    }
    reading->bad_clock_count += has_bad_clock;
}

static int samples_read(struct reading *reading, const struct json_at *at, const struct values *times,
                        const struct values *clocks, struct result_case *item, struct err *err) {
    float *times_s = NULL, *clocks_hz = NULL;
    bool has_clocks = clocks && clocks->filename;
    if (has_clocks && clocks->size != times->size)
        return err_set(err, ERR_DATA, "%s: '%s' has %" PRId64 " times, but '%s' has %" PRId64 " clocks",
                       at->where, str_shown(times->filename).text, times->size,
                       str_shown(clocks->filename).text, clocks->size);
    struct float_file file = {at->where, reading->folder, times->filename, (size_t)times->size};
    int code = float_file_read(&file, &times_s, err);
    if (code == 0 && has_clocks) {
        file.name = clocks->filename;
        code = float_file_read(&file, &clocks_hz, err);
    }
    if (code == 0) samples_add(reading, item, times_s, clocks_hz, (size_t)times->size);
    free(times_s);
    free(clocks_hz);
    return code;
}

// The mean stands as one sample, so that it is shown. The sentence is the same for all states.
static void summary_add(struct reading *reading, const struct summaries *summaries,
                        struct result_case *item) {
    const double time_s = isfinite(summaries->mean_s) ? summaries->mean_s : summaries->median_s;
    const bool is_shown = external_sample_add(item, 1e9 * time_s, TIME_LAUNCHES, NAN);
    if (summaries->times.is_there || summaries->times_cpu.is_there)
        external_case_refuse(item, REASON_TOO_FEW_SAMPLES,
                             "NVBench could not write the samples of this state (its log says why)");
    external_case_refuse(item, is_shown ? REASON_SUMMARIES_ONLY : REASON_TOO_FEW_SAMPLES,
                         "no raw samples, only summaries: run NVBench with --jsonbin FILE instead of --json "
                         "FILE");
    const double noise = summaries->noise;
    if (!is_shown || !isfinite(noise) || noise < 0) return;
    if (reading->noise_count == 0) reading->noise_least = reading->noise_most = noise;
    reading->noise_least = fmin(reading->noise_least, noise);
    reading->noise_most = fmax(reading->noise_most, noise);
    ++reading->noise_count;
}

// A case is named after benchmark, axes and device. If all states ran on one device, the name without it is
// the short name. Full names match files with several devices; short names match another device of the same
// model.
static struct result_case *case_add(struct reading *reading, const char *benchmark, const char *state,
                                    int64_t device, size_t sample_max) {
    struct arena *arena = &reading->result->arena;
    char prefix[40], short_name[PROBLEM_NAME_BYTES];
    size_t length =
        (size_t)snprintf(prefix, sizeof prefix, "Device=%" PRId64, device); // NVBench puts it first
    bool has_prefix = !strncmp(state, prefix, length) && (!state[length] || state[length] == ' ');
    const char *rest = has_prefix ? state + length : state;
    while (*rest == ' ') ++rest;
    const char *name = *rest ? arena_format(arena, "%s/%s", benchmark, rest) : benchmark;
    if (reading->used_count == 0 || device < 0) return external_case_add(reading->result, name, sample_max);
    const char *whole = arena_format(arena, "%s [%s]", name, prefix);
    struct result_case *item = external_case_add(reading->result, whole, sample_max);
    external_name(name, short_name);
    if (reading->used_count == 1) item->short_name = arena_strdup(arena, short_name);
    return item;
}

static int case_parse(struct reading *reading, const struct json_at *at, const char *benchmark,
                      struct err *err) {
    const char *state = NULL, *skip_reason = NULL;
    int64_t device = -1;
    bool is_skipped = false;
    struct summaries summaries;
    struct values ignored;
    TRY(json_get_string(at, "name", &state, err));
    TRY(json_find_i64(at, "device", &device, err));
    TRY(json_find_bool(at, "is_skipped", &is_skipped, err));
    TRY(json_find_string(at, "skip_reason", &skip_reason, err));
    TRY(values_parse(at, "axis_values", &ignored, err));
    TRY(summaries_parse(at, &summaries, err));
    bool is_cpu = !summaries.times.filename; // a benchmark that runs on the processor only
    const struct values *times = is_cpu ? &summaries.times_cpu : &summaries.times;
    size_t count = times->filename && !is_skipped ? (size_t)times->size : 0;
    if ((reading->sample_count += count) > ALL_SAMPLES_MAX)
        return err_set(err, ERR_DATA, "%s: more than %zu samples in one document", at->where,
                       ALL_SAMPLES_MAX);
    struct result_case *item = case_add(reading, benchmark, state, device, count ? count : 1);
    if (is_skipped) {
        external_case_skip(item, skip_reason);
        return 0;
    }
    if (!times->filename) {
        summary_add(reading, &summaries, item);
        return 0;
    }
    item->time_kind = is_cpu ? "CPU times" : "GPU times";
    if (!is_cpu)
        reading->result->environment.cache_mode = "cold"; // NVBench flushes the L2 before each of these
    return samples_read(reading, at, times, is_cpu ? NULL : &summaries.clocks, item, err);
}

// ---- all states: first their devices, which names depend on ----

typedef int state_visit(struct reading *reading, const struct json_at *at, const char *benchmark,
                        struct err *err);

static int visit_device(struct reading *reading, const struct json_at *at, const char *benchmark,
                        struct err *err) {
    (void)benchmark;
    int64_t device = -1;
    int found = json_find_i64(at, "device", &device, err);
    TRY(found);
    ++reading->state_count;
    if (!found) return 0;
    for (size_t i = 0; i < reading->device_count; ++i) {
        if (reading->devices[i].id != device) continue;
        reading->used_count += !reading->devices[i].is_used;
        reading->devices[i].is_used = true;
        return 0;
    }
    return err_set(err, ERR_DATA, "%s: key 'device' is %" PRId64 ", which is not among the devices",
                   at->where, device);
}

static int states_visit(struct reading *reading, state_visit *visit, struct err *err) {
    const json_t *benchmarks = NULL, *states = NULL;
    size_t benchmark_count = 0, state_count = 0;
    TRY(field_find_items(&reading->at, "benchmarks", BENCHMARKS_MAX, &benchmarks, &benchmark_count, err));
    for (size_t i = 0; i < benchmark_count; ++i) {
        struct field_place benchmark, state;
        const char *name = NULL;
        field_enter_item(&benchmark, &reading->at, "benchmarks", i, json_array_get(benchmarks, i));
        TRY(json_get_string(&benchmark.at, "name", &name, err));
        TRY(field_find_items(&benchmark.at, "states", RESULT_CASES_MAX, &states, &state_count, err));
        for (size_t k = 0; k < state_count; ++k) {
            field_enter_item(&state, &benchmark.at, "states", k, json_array_get(states, k));
            TRY(visit(reading, &state.at, name, err));
        }
    }
    return 0;
}

static int document_parse(struct reading *reading, struct err *err) {
    struct result *result = reading->result;
    TRY(meta_parse(reading, err));
    TRY(devices_parse(reading, err));
    TRY(states_visit(reading, visit_device, err));
    TRY(external_reserve(reading->at.where, reading->state_count, result, err));
    TRY(states_visit(reading, case_parse, err));
    set_environment(reading);
    result->run_id = arena_strdup(&result->arena, reading->at.where);
    return external_end(reading->at.where, result, err);
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    struct result result;
    struct reading reading = {
        .at = {source->root, source->where}, .folder = source->folder, .result = &result};
    external_begin(NAME, &result);
    int code = document_parse(&reading, err);
    if (code < 0)
        result_fini(&result);
    else
        *ret = result;
    return code;
}

const struct format format_nvbench = {
    .name = NAME,
    .title = "an NVBench file",
    .summary = "NVBench's JSON (\"meta\" and \"benchmarks\"), with the samples of --jsonbin next to it",
    .is_mine = is_mine,
    .read = read_document,
};
