// SPDX-License-Identifier: Apache-2.0
//
// The roofline for programs: ceilings, points and where they lie, thresholds.
#include "profile/thresholds.h"
#include "report/roofline/roofline_axes_internal.h"
#include "report/roofline/roofline_report.h"

static void write_roof(struct json_writer *w, const struct roofline *roofline, const struct roof *roof) {
    json_object_begin(w, NULL);
    json_write_string(w, "name", roof->name);
    if (roof->is_bandwidth) json_write_string(w, "level", memory_level_name(roof->level));
    json_maybe_string(w, "dtype", roof->dtype);
    json_maybe_double(w, roof->is_bandwidth ? "gb_per_s" : "gflop_per_s", roof->value);
    json_maybe_double(w, "ridge_flop_per_byte", roofline_ridge(roofline, roof, LEVEL_DRAM));
    json_maybe_string(w, "measured", roof->measured);
    json_object_end(w);
}

#define POINT(k, m, ...) MEMBER(struct roofline_point, k, m, __VA_ARGS__)
static const struct member point_list[] = {
    POINT("problem", problem, "`s512`.", MEMBER_REQUIRED),
    POINT("kernel", kernel, "Its kernel."),
    POINT("dtype", dtype, "Of its tensors."),
    POINT("has_byte_ceiling", has_byte_ceiling, "What it moves comes from DRAM, not from a cache."),
    POINT("flop_per_byte", flop_per_byte[LEVEL_DRAM], "Of bytes at DRAM.", 0, MEMBER_ABOVE(0)),
    POINT("l2_flop_per_byte", flop_per_byte[LEVEL_L2], "Of bytes at L2.", 0, MEMBER_ABOVE(0)),
    POINT("gflop_per_s", gflop_per_s, "Of a run without a profiler.", 0, MEMBER_ABOVE(0)),
};
const struct member_table roofline_point_members =
    MEMBER_TABLE(struct roofline_point, "roofline_point", point_list, .sentence = "A problem and kernel.");

static void write_point(struct json_writer *w, const struct roofline *roofline,
                        const struct roofline_point *point, struct arena *arena) {
    const struct roofline_place place = roofline_place(roofline, point, arena);
    json_object_begin(w, NULL);
    members_write(w, &roofline_point_members, point, NULL);
    json_write_bool(w, "is_counted", point->profile != NULL);
    json_maybe_string(w, "roof", place.roof ? place.roof->name : NULL);
    json_maybe_double(w, "attainable_gflop_per_s", place.attainable_gflop_per_s);
    json_maybe_double(w, "efficiency_pct", place.efficiency_pct);
    members_write_object(w, "diagnosis", &diagnosis_members, &place.diagnosis, NULL);
    json_object_end(w);
}

void roofline_write(struct json_writer *w, const struct roofline *roofline) {
    struct arena arena = {0};
    json_maybe_string(w, "device", roofline->device);
    json_array_begin(w, "ceilings");
    for (size_t i = 0; i < roofline->roof_count; ++i) write_roof(w, roofline, &roofline->roofs[i]);
    json_array_end(w);
    json_array_begin(w, "points");
    for (size_t i = 0; i < roofline->point_count; ++i) write_point(w, roofline, &roofline->points[i], &arena);
    json_array_end(w);
    members_write_object(w, "thresholds", &threshold_members, &thresholds, NULL);
    arena_fini(&arena);
}

void roofline_json(const struct roofline *roofline, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", "assay.roofline");
    roofline_write(&w, roofline);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}
