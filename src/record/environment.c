// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the fingerprint of a machine and its settings. control/verdict/ decides which members
// must agree for a comparison.
#include "record/environment.h"

#include <math.h>
#include <stddef.h>

#include "record/field.h"

struct environment_text {
    const char *key;
    size_t offset;
};

#define TEXT_AS(key, member)                                                                                 \
    { (key), offsetof(struct environment, member) }
#define TEXT(member) TEXT_AS(#member, member)
static const struct environment_text environment_texts[] = {
    TEXT(assay_version), TEXT(host),    TEXT(os),   TEXT(device),       TEXT(device_name),
    TEXT(device_uuid),   TEXT(driver),  TEXT(isa),  TEXT(clock_policy), TEXT_AS("regime", power_mode),
    TEXT(cache_mode),    TEXT(threads), TEXT(lock), TEXT(priority),     TEXT(busy_limit),
    TEXT(metric),
};
enum { ENVIRONMENT_TEXT_COUNT = sizeof environment_texts / sizeof environment_texts[0] };

static const char **text_at(struct environment *environment, size_t index) {
    return (const char **)(void *)((char *)environment + environment_texts[index].offset);
}

struct environment environment_unknown(void) {
    return (struct environment){.ceiling_gflop_per_s = NAN, .ceiling_gb_per_s = NAN};
}

void environment_write(struct json_writer *w, const char *key, const struct environment *environment) {
    struct environment copy = *environment;
    json_object_begin(w, key);
    for (size_t i = 0; i < ENVIRONMENT_TEXT_COUNT; ++i) {
        json_maybe_string(w, environment_texts[i].key, *text_at(&copy, i));
    }
    if (environment->thread_count > 0) json_write_i64(w, "thread_count", environment->thread_count);
    if (environment->memory_bytes > 0) json_write_i64(w, "memory_bytes", environment->memory_bytes);
    if (environment->is_accelerator) json_write_bool(w, "is_accelerator", true);
    json_maybe_double(w, "ceiling_gflop_per_s", environment->ceiling_gflop_per_s);
    json_maybe_double(w, "ceiling_gb_per_s", environment->ceiling_gb_per_s);
    json_object_end(w);
}

int environment_parse(const struct json_at *at, struct arena *arena, struct environment *ret,
                      struct err *err) {
    struct environment environment = environment_unknown();
    for (size_t i = 0; i < ENVIRONMENT_TEXT_COUNT; ++i) {
        TRY(field_find_text(at, environment_texts[i].key, arena, text_at(&environment, i), err));
    }
    TRY(field_find_i64(at, "thread_count", 0, &environment.thread_count, err));
    TRY(field_find_i64(at, "memory_bytes", 0, &environment.memory_bytes, err));
    TRY(json_find_bool(at, "is_accelerator", &environment.is_accelerator, err));
    TRY(field_find_double(at, "ceiling_gflop_per_s", 0, &environment.ceiling_gflop_per_s, err));
    TRY(field_find_double(at, "ceiling_gb_per_s", 0, &environment.ceiling_gb_per_s, err));
    *ret = environment;
    return 0;
}

void environment_fill(struct environment *environment, const struct environment *more, struct arena *arena) {
    struct environment copy = *more;
    for (size_t i = 0; i < ENVIRONMENT_TEXT_COUNT; ++i) {
        const char **known = text_at(environment, i);
        if (!*known) *known = arena_strdup(arena, *text_at(&copy, i));
    }
    if (environment->thread_count == 0) environment->thread_count = more->thread_count;
    if (environment->memory_bytes == 0) environment->memory_bytes = more->memory_bytes;
    environment->is_accelerator |= more->is_accelerator;
    if (isnan(environment->ceiling_gflop_per_s)) environment->ceiling_gflop_per_s = more->ceiling_gflop_per_s;
    if (isnan(environment->ceiling_gb_per_s)) environment->ceiling_gb_per_s = more->ceiling_gb_per_s;
}
