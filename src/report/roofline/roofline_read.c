// SPDX-License-Identifier: Apache-2.0
//
// Reads a roofline again that roofline_write wrote. Places and classes follow from it anew.
#include "record/field.h"
#include "report/roofline/roofline_report.h"

enum { ROOFS_MAX = 64, POINTS_MAX = 4096 };

// GFLOP/s of a rate; GB/s of the bandwidth of a level.
static int read_value(const struct json_at *at, struct roof *roof, struct err *err) {
    const char *key = roof->is_bandwidth ? "gb_per_s" : "gflop_per_s";
    TRY(json_get_double(at, key, &roof->value, err));
    return roof->value > 0 ? 0 : err_set(err, ERR_DATA, "%s: key '%s' must be above 0", at->where, key);
}

static int read_roof(const struct json_at *at, struct arena *arena, struct roof *roof, struct err *err) {
    const char *level = NULL;
    TRY(json_get_string(at, "name", &roof->name, err));
    roof->name = arena_strdup(arena, roof->name);
    TRY(json_find_string(at, "level", &level, err));
    roof->is_bandwidth = level != NULL;
    while (level && roof->level < LEVEL_COUNT && !str_equal(level, memory_level_name(roof->level)))
        ++roof->level;
    if (roof->level == LEVEL_COUNT) return field_refuse_name(at, "level", level, err);
    TRY(field_find_text(at, "dtype", arena, &roof->dtype, err));
    TRY(field_find_text(at, "measured", arena, &roof->measured, err));
    return read_value(at, roof, err);
}

static int read_roofs(const struct json_at *at, struct arena *arena, struct roofline *ret, struct err *err) {
    const json_t *items = NULL;
    TRY(field_get_items(at, "ceilings", ROOFS_MAX, &items, &ret->roof_count, err));
    struct roof *roofs = arena_array(arena, ret->roof_count, sizeof *roofs);
    ret->roofs = roofs;
    for (size_t i = 0; i < ret->roof_count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, "ceilings", i, json_array_get(items, i));
        TRY(read_roof(&place.at, arena, &roofs[i], err));
    }
    return 0;
}

static int read_points(const struct json_at *at, const struct profile *profile, struct arena *arena,
                       struct roofline *ret, struct err *err) {
    const json_t *items = NULL;
    TRY(field_get_items(at, "points", POINTS_MAX, &items, &ret->point_count, err));
    struct roofline_point *points = arena_array(arena, ret->point_count, sizeof *points);
    ret->points = points;
    for (size_t i = 0; i < ret->point_count; ++i) {
        bool is_counted = false;
        struct field_place place;
        field_enter_item(&place, at, "points", i, json_array_get(items, i));
        members_forget(&roofline_point_members, &points[i]);
        TRY(members_read(&place.at, &roofline_point_members, arena, &points[i], NULL, err));
        TRY(json_find_bool(&place.at, "is_counted", &is_counted, err));
        points[i].profile = is_counted ? profile : NULL;
    }
    return 0;
}

int roofline_read(const struct json_at *at, const struct profile *profile, struct arena *arena,
                  struct roofline *ret, struct err *err) {
    *ret = (struct roofline){.device = NULL};
    TRY(field_find_text(at, "device", arena, &ret->device, err));
    TRY(read_roofs(at, arena, ret, err));
    return read_points(at, profile, arena, ret, err);
}
