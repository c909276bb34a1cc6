// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads raw samples as columns of integers; a time that is not a positive integer makes the
// document invalid. worker/measure/ decides which samples are discarded, stats/ computes their statistics.
#include "record/samples.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "record/field.h"

static const char *const discard_names[DISCARD_COUNT] = {
    [DISCARD_NONE] = "",       [DISCARD_FIRST_PAIR] = "first_pair",   [DISCARD_PREEMPTED] = "preempted",
    [DISCARD_STEAL] = "steal", [DISCARD_THROTTLED] = "throttled",     [DISCARD_CLOCK] = "clock",
    [DISCARD_AUDIT] = "audit", [DISCARD_UNCONFIRMED] = "unconfirmed",
};

const char *discard_name(enum discard discard) {
    return (unsigned)discard < DISCARD_COUNT ? discard_names[discard] : "";
}

enum discard discard_parse(const char *name) {
    for (int i = 0; i < DISCARD_COUNT; ++i) {
        if (name && strcmp(discard_names[i], name) == 0) return (enum discard)i;
    }
    return DISCARD_COUNT;
}

static void launches_write(struct json_writer *w, const struct samples *samples) {
    bool is_scalar = samples->count > 0;
    for (size_t i = 1; i < samples->count; ++i) {
        if (samples->items[i].launches != samples->items[0].launches) is_scalar = false;
    }
    if (is_scalar) {
        json_write_u64(w, "launches", samples->items[0].launches);
        return;
    }
    uint64_t *column = mem_alloc(samples->count * sizeof *column);
    for (size_t i = 0; i < samples->count; ++i) column[i] = samples->items[i].launches;
    json_write_u64s(w, "launches", column, samples->count);
    free(column);
}

static void times_write(struct json_writer *w, const struct samples *samples) {
    uint64_t *column = mem_alloc(samples->count * sizeof *column);
    for (size_t i = 0; i < samples->count; ++i) column[i] = samples->items[i].start_ns;
    json_write_u64s(w, "start_ns", column, samples->count);
    for (size_t i = 0; i < samples->count; ++i) column[i] = samples->items[i].duration_ns;
    json_write_u64s(w, "duration_ns", column, samples->count);
    for (size_t i = 0; i < samples->count; ++i) column[i] = samples->items[i].judge_ns;
    if (samples->count && column[0]) json_write_u64s(w, "judge_ns", column, samples->count);
    free(column);
}

static void discards_write(struct json_writer *w, const struct samples *samples) {
    bool is_open = false;
    for (size_t i = 0; i < samples->count; ++i) {
        if (samples->items[i].discard == DISCARD_NONE) continue;
        if (!is_open) json_object_begin(w, "discard");
        is_open = true;
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        json_write_string(w, index, discard_name(samples->items[i].discard));
    }
    if (is_open) json_object_end(w);
}

static double clock_of(const struct sample *sample, bool is_kernel) {
    const double hz = is_kernel ? sample->kernel_clock_hz : sample->clock_hz;
    return hz > 0 ? hz : NAN;
}

static void clocks_write(struct json_writer *w, const char *key, bool is_kernel,
                         const struct samples *samples) {
    bool is_known = false;
    double *column = mem_alloc(samples->count * sizeof *column);
    for (size_t i = 0; i < samples->count; ++i) {
        column[i] = clock_of(&samples->items[i], is_kernel);
        if (isfinite(column[i])) is_known = true;
    }
    if (is_known) json_write_doubles(w, key, column, samples->count);
    free(column);
}

void samples_write_members(struct json_writer *w, const struct samples *samples) {
    times_write(w, samples);
    launches_write(w, samples);
    discards_write(w, samples);
    clocks_write(w, "clock_hz", false, samples);
    clocks_write(w, "kernel_clock_hz", true, samples);
    if (samples->call_wall_ns > 0) json_write_double(w, "call_wall_ns", samples->call_wall_ns);
}

void samples_write(struct json_writer *w, const char *key, const struct samples *samples) {
    json_object_begin(w, key);
    samples_write_members(w, samples);
    json_object_end(w);
}

static int durations_parse(const struct json_at *at, const json_t *column, struct samples *samples,
                           struct err *err) {
    for (size_t i = 0; i < samples->count; ++i) {
        const json_t *value = json_array_get(column, i);
        if (json_is_integer(value) && json_integer_value(value) > 0) {
            samples->items[i].duration_ns = (uint64_t)json_integer_value(value);
            continue;
        }
        if (json_is_number(value)) {
            return err_set(err, ERR_DATA,
                           "%s: duration_ns[%zu] is %g; a time must be a positive whole number of "
                           "nanoseconds",
                           at->where, i, json_number_value(value));
        }
        return err_set(err, ERR_DATA,
                       "%s: duration_ns[%zu] is not a number; a time must be a positive whole number of "
                       "nanoseconds",
                       at->where, i);
    }
    return 0;
}

// A column of times that may be absent: start_ns, judge_ns.
static int times_parse(const struct json_at *at, const char *key, size_t offset, struct samples *samples,
                       struct err *err) {
    const json_t *column = NULL;
    size_t count = 0;
    TRY(field_find_items(at, key, SAMPLES_COUNT_MAX, &column, &count, err));
    if (!column) return 0;
    if (count != samples->count) {
        return err_set(err, ERR_DATA, "%s: %s has %zu values but duration_ns has %zu", at->where, key, count,
                       samples->count);
    }
    for (size_t i = 0; i < count; ++i) {
        const json_t *value = json_array_get(column, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0) {
            return err_set(err, ERR_DATA, "%s: %s[%zu] must be an integer that is not negative", at->where,
                           key, i);
        }
        const uint64_t ns = (uint64_t)json_integer_value(value);
        memcpy((char *)&samples->items[i] + offset, &ns, sizeof ns);
    }
    return 0;
}

static int launches_parse(const struct json_at *at, struct samples *samples, struct err *err) {
    const json_t *value = json_object_get(at->value, "launches");
    const bool is_column = json_is_array(value);
    if (is_column && json_array_size(value) != samples->count) {
        return err_set(err, ERR_DATA, "%s: launches has %zu values but duration_ns has %zu", at->where,
                       json_array_size(value), samples->count);
    }
    for (size_t i = 0; i < samples->count; ++i) {
        const json_t *item = is_column ? json_array_get(value, i) : value;
        samples->items[i].launches = 1;
        if (!item) continue;
        if (!json_is_integer(item) || json_integer_value(item) < 1 || json_integer_value(item) > UINT32_MAX) {
            return err_set(err, ERR_DATA, "%s: launches of sample %zu must be a positive integer below 2^32",
                           at->where, i);
        }
        samples->items[i].launches = (uint32_t)json_integer_value(item);
    }
    return 0;
}

static int discards_parse(const struct json_at *at, struct samples *samples, struct err *err) {
    const json_t *table = NULL;
    TRY(json_find_object(at, "discard", &table, err));
    if (!table) return 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)table, key, value) {
        unsigned long long index = 0;
        if (samples->count == 0) {
            return err_set(err, ERR_DATA, "%s: discard names sample '%.32s', but there are no samples",
                           at->where, key);
        }
        if (str_parse_u64(key, &index) < 0 || index >= samples->count) {
            return err_set(err, ERR_DATA,
                           "%s: discard names sample '%.32s', but there are samples 0 to %zu only", at->where,
                           key, samples->count - 1);
        }
        enum discard discard =
            json_is_string(value) ? discard_parse(json_string_value(value)) : DISCARD_COUNT;
        if (discard == DISCARD_COUNT) {
            return err_set(err, ERR_DATA, "%s: discard of sample %llu has an unknown reason", at->where,
                           index);
        }
        samples->items[index].discard = discard;
    }
    return 0;
}

static int clocks_parse(const struct json_at *at, const char *key, bool is_kernel, struct samples *samples,
                        struct err *err) {
    const json_t *column = NULL;
    size_t count = 0;
    TRY(field_find_items(at, key, SAMPLES_COUNT_MAX, &column, &count, err));
    if (column && count != samples->count) {
        return err_set(err, ERR_DATA, "%s: %s has %zu values but duration_ns has %zu", at->where, key, count,
                       samples->count);
    }
    for (size_t i = 0; i < samples->count; ++i) {
        const json_t *value = column ? json_array_get(column, i) : NULL;
        double *hz = is_kernel ? &samples->items[i].kernel_clock_hz : &samples->items[i].clock_hz;
        *hz = NAN;
        if (!value || json_is_null(value)) continue;
        if (!json_is_number(value) || !(json_number_value(value) > 0)) {
            return err_set(err, ERR_DATA, "%s: %s[%zu] must be a positive number or null", at->where, key, i);
        }
        *hz = json_number_value(value);
    }
    return 0;
}

static int call_wall_parse(const struct json_at *at, struct samples *samples, struct err *err) {
    const json_t *value = json_object_get(at->value, "call_wall_ns");
    samples->call_wall_ns = NAN;
    if (!value) return 0;
    if (!json_is_number(value) || !(json_number_value(value) > 0))
        return err_set(err, ERR_DATA, "%s: call_wall_ns must be a positive number", at->where);
    samples->call_wall_ns = json_number_value(value);
    return 0;
}

int samples_parse(const struct json_at *at, struct arena *arena, struct samples *ret, struct err *err) {
    struct samples samples = {0};
    const json_t *durations = NULL;
    TRY(field_get_items(at, "duration_ns", SAMPLES_COUNT_MAX, &durations, &samples.count, err));
    samples.items = arena_array(arena, samples.count, sizeof *samples.items);
    TRY(durations_parse(at, durations, &samples, err));
    TRY(times_parse(at, "start_ns", offsetof(struct sample, start_ns), &samples, err));
    TRY(times_parse(at, "judge_ns", offsetof(struct sample, judge_ns), &samples, err));
    TRY(launches_parse(at, &samples, err));
    TRY(discards_parse(at, &samples, err));
    TRY(clocks_parse(at, "clock_hz", false, &samples, err));
    TRY(clocks_parse(at, "kernel_clock_hz", true, &samples, err));
    TRY(call_wall_parse(at, &samples, err));
    *ret = samples;
    return 0;
}

double sample_time_ns(const struct sample *sample) {
    return (double)sample->duration_ns / (double)sample->launches;
}

size_t samples_times_ns(const struct samples *samples, double *ret_times_ns) {
    size_t count = 0;
    for (size_t i = 0; i < samples->count; ++i) {
        const struct sample *sample = &samples->items[i];
        if (sample->discard != DISCARD_NONE) continue;
        ret_times_ns[count++] = sample_time_ns(sample);
    }
    return count;
}

size_t samples_judge_times_ns(const struct samples *samples, double *ret_times_ns) {
    size_t count = 0;
    for (size_t i = 0; i < samples->count; ++i) {
        const struct sample *sample = &samples->items[i];
        if (sample->discard != DISCARD_NONE || !sample->judge_ns) continue;
        ret_times_ns[count++] = (double)sample->judge_ns / (double)sample->launches;
    }
    return count;
}

size_t samples_discarded(const struct samples *samples) {
    size_t count = 0;
    for (size_t i = 0; i < samples->count; ++i) {
        enum discard discard = samples->items[i].discard;
        if (discard != DISCARD_NONE && discard != DISCARD_FIRST_PAIR && discard != DISCARD_AUDIT) ++count;
    }
    return count;
}
