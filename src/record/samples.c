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
    return member_name(discard_names, DISCARD_COUNT, (int)discard);
}

enum discard discard_parse(const char *name) {
    const int value = member_value(discard_names, DISCARD_COUNT, name);
    return value < 0 ? DISCARD_COUNT : (enum discard)value;
}

// ---- columns: a row's place is that of the sample's member ----

static uint64_t column_value(const struct sample *sample, const struct member *member) {
    uint64_t ns;
    memcpy(&ns, (const char *)sample + member->offset, sizeof ns);
    return ns;
}

// Times that are all 0 were not measured.
static void times_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const struct samples *samples = object;
    (void)context;
    uint64_t *column = mem_alloc(samples->count * sizeof *column);
    for (size_t i = 0; i < samples->count; ++i) column[i] = column_value(&samples->items[i], member);
    if (member->flags & MEMBER_WRITTEN || (samples->count && column[0]))
        json_write_u64s(w, member->key, column, samples->count);
    free(column);
}

static int refuse_count(const struct json_at *at, const char *key, size_t count,
                        const struct samples *samples, struct err *err) {
    return err_set(err, ERR_DATA, "%s: %s has %zu values but duration_ns has %zu", at->where, key, count,
                   samples->count);
}

// *ret: as many values as there are samples; NULL when absent.
static int column_find(const struct json_at *at, const char *key, const struct samples *samples,
                       const json_t **ret, struct err *err) {
    size_t count = 0;
    TRY(field_find_items(at, key, SAMPLES_COUNT_MAX, ret, &count, err));
    return *ret && count != samples->count ? refuse_count(at, key, count, samples, err) : 0;
}

static int times_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, void *context, struct err *err) {
    struct samples *samples = object;
    const json_t *column = NULL;
    (void)arena, (void)context;
    TRY(column_find(at, member->key, samples, &column, err));
    for (size_t i = 0; column && i < samples->count; ++i) {
        const json_t *value = json_array_get(column, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0) {
            return err_set(err, ERR_DATA, "%s: %s[%zu] must be an integer that is not negative", at->where,
                           member->key, i);
        }
        const uint64_t ns = (uint64_t)json_integer_value(value);
        memcpy((char *)&samples->items[i] + member->offset, &ns, sizeof ns);
    }
    return 0;
}

// Comes first: the other columns must have as many values.
static int durations_read(const struct json_at *at, const struct member *member, struct arena *arena,
                          void *object, void *context, struct err *err) {
    struct samples *samples = object;
    const json_t *column = NULL;
    (void)context;
    TRY(field_get_items(at, member->key, SAMPLES_COUNT_MAX, &column, &samples->count, err));
    samples->items = arena_array(arena, samples->count, sizeof *samples->items);
    for (size_t i = 0; i < samples->count; ++i) {
        const json_t *value = json_array_get(column, i);
        struct sample *sample = &samples->items[i];
        *sample = (struct sample){.launches = 1, .clock_hz = NAN, .kernel_clock_hz = NAN};
        if (json_is_integer(value) && json_integer_value(value) > 0) {
            sample->duration_ns = (uint64_t)json_integer_value(value);
            continue;
        }
        char found[40] = "not a number";
        if (json_is_number(value)) snprintf(found, sizeof found, "%g", json_number_value(value));
        return err_set(err, ERR_DATA,
                       "%s: duration_ns[%zu] is %s; a time must be a positive whole number of nanoseconds",
                       at->where, i, found);
    }
    return 0;
}

static void launches_write(struct json_writer *w, const struct member *member, const void *object,
                           const void *context) {
    const struct samples *samples = object;
    bool is_scalar = samples->count > 0;
    (void)context;
    for (size_t i = 1; i < samples->count; ++i) {
        if (samples->items[i].launches != samples->items[0].launches) is_scalar = false;
    }
    if (is_scalar) {
        json_write_u64(w, member->key, samples->items[0].launches);
        return;
    }
    uint64_t *column = mem_alloc(samples->count * sizeof *column);
    for (size_t i = 0; i < samples->count; ++i) column[i] = samples->items[i].launches;
    json_write_u64s(w, member->key, column, samples->count);
    free(column);
}

static int launches_read(const struct json_at *at, const struct member *member, struct arena *arena,
                         void *object, void *context, struct err *err) {
    struct samples *samples = object;
    const json_t *value = json_object_get(at->value, member->key);
    const bool is_column = json_is_array(value);
    (void)arena, (void)context;
    if (is_column && json_array_size(value) != samples->count)
        return refuse_count(at, member->key, json_array_size(value), samples, err);
    for (size_t i = 0; value && i < samples->count; ++i) {
        const json_t *item = is_column ? json_array_get(value, i) : value;
        if (!json_is_integer(item) || json_integer_value(item) < 1 || json_integer_value(item) > UINT32_MAX) {
            return err_set(err, ERR_DATA, "%s: launches of sample %zu must be a positive integer below 2^32",
                           at->where, i);
        }
        samples->items[i].launches = (uint32_t)json_integer_value(item);
    }
    return 0;
}

static void discards_write(struct json_writer *w, const struct member *member, const void *object,
                           const void *context) {
    const struct samples *samples = object;
    bool is_open = false;
    (void)context;
    for (size_t i = 0; i < samples->count; ++i) {
        if (samples->items[i].discard == DISCARD_NONE) continue;
        if (!is_open) json_object_begin(w, member->key);
        is_open = true;
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        json_write_string(w, index, discard_name(samples->items[i].discard));
    }
    if (is_open) json_object_end(w);
}

static int discards_read(const struct json_at *at, const struct member *member, struct arena *arena,
                         void *object, void *context, struct err *err) {
    struct samples *samples = object;
    const json_t *table = NULL;
    (void)arena, (void)context;
    TRY(json_find_object(at, member->key, &table, err));
    if (!table) return 0;
    const char *key;
    json_t *value;
    json_object_foreach(table, key, value) {
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

static double *clock_at(const struct samples *samples, size_t i, const struct member *member) {
    return (double *)(void *)((char *)&samples->items[i] + member->offset);
}

static void clocks_write(struct json_writer *w, const struct member *member, const void *object,
                         const void *context) {
    const struct samples *samples = object;
    bool is_known = false;
    (void)context;
    double *column = mem_alloc(samples->count * sizeof *column);
    for (size_t i = 0; i < samples->count; ++i) {
        const double hz = *clock_at(samples, i, member);
        column[i] = hz > 0 ? hz : NAN;
        if (isfinite(column[i])) is_known = true;
    }
    if (is_known) json_write_doubles(w, member->key, column, samples->count);
    free(column);
}

static int clocks_read(const struct json_at *at, const struct member *member, struct arena *arena,
                       void *object, void *context, struct err *err) {
    struct samples *samples = object;
    const json_t *column = NULL;
    (void)arena, (void)context;
    TRY(column_find(at, member->key, samples, &column, err));
    for (size_t i = 0; column && i < samples->count; ++i) {
        const json_t *value = json_array_get(column, i);
        if (json_is_null(value)) continue;
        if (!json_is_number(value) || !(json_number_value(value) > 0)) {
            return err_set(err, ERR_DATA, "%s: %s[%zu] must be a positive number or null", at->where,
                           member->key, i);
        }
        *clock_at(samples, i, member) = json_number_value(value);
    }
    return 0;
}

#define COLUMN(k, m, w, r, items, ...)                                                                       \
    {                                                                                                        \
        .key = (k), .type = MEMBER_BY_HAND, MEMBER_PLACE(struct sample, m), .write = (w), .read = (r),       \
        .schema = "{\"type\": \"array\", \"items\": " items ", \"maxItems\": 1048576}",                      \
        .sentence = __VA_ARGS__                                                                              \
    }
#define ONE_LAUNCH "{\"type\": \"integer\", \"minimum\": 1, \"maximum\": 4294967295}"
#define ONE_CLOCK  "{\"anyOf\": [{\"type\": \"number\", \"exclusiveMinimum\": 0}, {\"type\": \"null\"}]}"
static const struct member members[] = {
    MEMBER_SIDE,
    COLUMN("duration_ns", duration_ns, times_write, durations_read, "{\"type\": \"integer\", \"minimum\": 1}",
           "One integer a sample. With the metric `instructions` a count, and so are all figures made of it.",
           MEMBER_REQUIRED | MEMBER_WRITTEN),
    COLUMN("start_ns", start_ns, times_write, times_read, "{\"type\": \"integer\", \"minimum\": 0}",
           "Since the worker's start.", MEMBER_WRITTEN),
    COLUMN("judge_ns", judge_ns, times_write, times_read, "{\"type\": \"integer\", \"minimum\": 0}",
           "The samples by the judge's clock, less the cost of an empty exchange; where each kernel ran in a "
           "process of its own."),
    MEMBER_WITH("launches", launches_write, launches_read,
                "Launches in a sample: one number for all, or one a sample; absent: 1. Time of a launch = "
                "duration / launches.",
                .schema = "{\"anyOf\": [" ONE_LAUNCH ", {\"type\": \"array\", \"items\": " ONE_LAUNCH "}]}"),
    MEMBER_WITH("discard", discards_write, discards_read,
                "`{\"3\": \"steal\"}`: sample 3 does not count, and why.", .names = discard_names,
                .name_count = DISCARD_COUNT),
    COLUMN("clock_hz", clock_hz, clocks_write, clocks_read, ONE_CLOCK,
           "Clock probe right before the sample, `null` where it was not read."),
    COLUMN("kernel_clock_hz", kernel_clock_hz, clocks_write, clocks_read, ONE_CLOCK,
           "Mean clock of the device while the sample ran, where it says so (a GPU)."),
    MEMBER(struct samples, "call_wall_ns", call_wall_ns,
           "A single launch, from call to completion by the host's clock; median of up to twenty.", 0,
           MEMBER_ABOVE(0)),
    MEMBER(struct samples, "launch_energy_j", launch_energy_j,
           "Energy of a launch of this side, where the device counts it and the side had it for itself "
           "(`sustained`).",
           0, MEMBER_ABOVE(0)),
    MEMBER(struct samples, "power_w", power_w, "Mean power of the device over the same time.", 0,
           MEMBER_ABOVE(0)),
};
const struct member_table samples_members =
    MEMBER_TABLE(struct samples, "samples", members, .sentence = "Raw samples of one side, in columns.");

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
