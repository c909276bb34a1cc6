// SPDX-License-Identifier: Apache-2.0
//
// The roofline: where points lie, figures that cannot be true (those of an earlier report among them), and
// the drawings: the text against golden files, the SVG as far as a program can look at it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "profile/thresholds.h"
#include "report/roofline/roofline_report.h"

static struct arena arena;

// About an H200: cache line after cache line, matrix instructions and FMA.
static const struct roof roofs[] = {
    {.name = "fp32 FMA", .value = 60000, .dtype = "fp32", .measured = "2026-11-21"},
    {.name = "fp16 matrix", .value = 790000, .dtype = "fp16", .measured = "2026-11-21"},
    {.name = "bf16 matrix", .value = 780000, .dtype = "bf16", .measured = "2026-11-21"},
    {.name = "DRAM read", .is_bandwidth = true, .value = 4300, .measured = "2026-11-21"},
    {.name = "DRAM copy", .is_bandwidth = true, .value = 4200, .measured = "2026-11-21"},
    {.name = "L2", .is_bandwidth = true, .level = LEVEL_L2, .value = 7900},
};

static const struct roofline h200 = {
    .device = "NVIDIA H200", .roofs = roofs, .roof_count = sizeof roofs / sizeof *roofs};

static struct roofline_point point_of(const char *problem, double gflop_per_s, double flop_per_byte) {
    return (struct roofline_point){.problem = problem,
                                   .kernel = "fa",
                                   .dtype = "fp16",
                                   .gflop_per_s = gflop_per_s,
                                   .flop_per_byte = {flop_per_byte, NAN},
                                   .has_byte_ceiling = true};
}

static void near(double got, double wanted) {
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted))) fail_msg("%.12g instead of %.12g", got, wanted);
}

static void test_points(void **state) {
    (void)state;
    const struct roofline_point modelled = roofline_point_modelled(8e9, 2e9, 1e6); // 8 GFLOP in 1 ms
    near(modelled.gflop_per_s, 8000);
    near(modelled.flop_per_byte[LEVEL_DRAM], 4);
    assert_true(isnan(modelled.flop_per_byte[LEVEL_L2]) && !modelled.profile);
    struct profile profile;
    members_forget(&profile_members, &profile);
    profile.dram_bytes = 4e9;
    profile.l2_bytes = 8e9;
    struct roofline_point counted = roofline_point_counted(&profile, 8e9, NAN); // FLOP modelled
    near(counted.flop_per_byte[LEVEL_DRAM], 2);
    near(counted.flop_per_byte[LEVEL_L2], 1);
    assert_true(isnan(counted.gflop_per_s) && counted.profile == &profile);
    profile.tensor_flop = 9e9;
    profile.fma_flop = 1e9;
    counted = roofline_point_counted(&profile, 8e9, 1e6); // FLOP counted, too
    near(counted.flop_per_byte[LEVEL_DRAM], 2.5);
    near(counted.gflop_per_s, 10000);
    profile.dram_bytes = 0; // nothing went there: no intensity
    counted = roofline_point_counted(&profile, 8e9, 1e6);
    assert_true(isnan(counted.flop_per_byte[LEVEL_DRAM]));
}

static void test_roofs(void **state) {
    (void)state;
    assert_string_equal(roofline_rate(&h200, "fp16")->name, "fp16 matrix");
    assert_string_equal(roofline_rate(&h200, "fp32")->name, "fp32 FMA");
    assert_null(roofline_rate(&h200, "fp8_e4m3")); // never held against another type's
    assert_string_equal(roofline_bandwidth(&h200, LEVEL_DRAM)->name, "DRAM read");
    const struct roof general = {.name = "FMA", .value = 100};
    const struct roofline cpu = {.roofs = &general, .roof_count = 1};
    assert_string_equal(roofline_rate(&cpu, "bf16")->name, "FMA"); // a roof of all types
}

static void test_places(void **state) {
    (void)state;
    struct roofline_point point = point_of("s512", 395000, 256);
    struct roofline_place place = roofline_place(&h200, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_COMPUTE);
    near(place.ridge_flop_per_byte, 790000.0 / 4300);
    near(place.efficiency_pct, 50);
    near(place.diagnosis.hypotheses[0].gain, 1.6);
    assert_non_null(strstr(place.diagnosis.notes[0], "50 % of the roof (threshold 60 %)"));
    assert_non_null(strstr(place.diagnosis.because, "256 FLOP/byte, right of the ridge point at 184"));
    point = point_of("s128", 90000, 64);
    place = roofline_place(&h200, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_MEMORY);
    near(place.attainable_gflop_per_s, 64 * 4300);
    near(place.diagnosis.hypotheses[0].gain, 790000.0 / 4300 / 64); // fewer bytes
    point.flop_per_byte[LEVEL_L2] = 16;                             // L2 allows less than DRAM
    place = roofline_place(&h200, &point, &arena);
    assert_ptr_equal(place.roof, &roofs[5]);
    near(place.attainable_gflop_per_s, 16 * 7900);
    near(place.flop_per_byte, 16);
    near(place.ridge_flop_per_byte, 100); // of L2
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_MEMORY);
}

static void test_cached(void **state) {
    (void)state;
    struct roofline_point point = point_of("s128", 500000, 100); // 5 TB/s of modelled bytes
    point.has_byte_ceiling = false;
    const struct roofline_place place = roofline_place(&h200, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_COMPUTE);
    assert_non_null(strstr(place.diagnosis.notes[0], "a cache holds part of what it reads"));
}

static void test_counted(void **state) {
    (void)state;
    struct profile profile;
    members_forget(&profile_members, &profile);
    profile.tensor_pct = 57;
    profile.dram_pct = 10;
    struct roofline_point point = point_of("s512", 395000, 30); // left of the ridge point
    point.profile = &profile;
    struct roofline_place place = roofline_place(&h200, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_ACCOUNTING_ERROR); // 13 TB/s: refused before
    point.gflop_per_s = 100000;
    place = roofline_place(&h200, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_COMPUTE); // by counters, not by the position
    point.gflop_per_s = NAN;
    place = roofline_place(&h200, &point, &arena);
    assert_true(place.diagnosis.bottleneck == BOTTLENECK_COMPUTE && isnan(place.efficiency_pct));
}

static void test_no_ceilings(void **state) {
    (void)state;
    const struct roofline none = {.device = "x"};
    struct roofline_point point = point_of("s512", 395000, 256);
    struct roofline_place place = roofline_place(&none, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_UNKNOWN);
    assert_non_null(strstr(place.diagnosis.because, "assay devices --ceilings"));
    point.dtype = "fp8_e4m3"; // ceilings, but none of this type
    place = roofline_place(&h200, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_UNKNOWN);
    point.flop_per_byte[LEVEL_DRAM] = NAN;
    point.dtype = "fp16";
    place = roofline_place(&h200, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_UNKNOWN);
}

static bool suspects(const struct diagnosis *d, const char *words) {
    for (size_t i = 0; i < d->note_count; ++i)
        if (strstr(d->notes[i], words)) return true;
    return false;
}

// An earlier report claimed "178 % of peak" and a ridge point of 0.8 FLOP/byte: FLOP of tensor cores over the
// rate of the fp32 pipe (67 TFLOP/s), and TFLOP over GB (3958 over 4800).
static void test_refused(void **state) {
    (void)state;
    const struct roof pipe[] = {{.name = "peak", .value = 67000},
                                {.name = "DRAM", .is_bandwidth = true, .value = 4800}};
    const struct roofline first = {.roofs = pipe, .roof_count = 2};
    const struct roofline_point point = point_of("s512", 119300, 256);
    struct roofline_place place = roofline_place(&first, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_ACCOUNTING_ERROR);
    assert_non_null(strstr(place.diagnosis.because, "119 TFLOP/s is 178 % of a ceiling (peak 67.0 TFLOP/s)"));
    assert_non_null(strstr(place.diagnosis.because, "threshold 102 %"));
    assert_true(suspects(&place.diagnosis, "another precision or pipe"));
    assert_true(isnan(place.efficiency_pct) && place.diagnosis.hypothesis_count == 0);
    const struct roof mixed[] = {{.name = "peak", .value = 3958},
                                 {.name = "DRAM", .is_bandwidth = true, .value = 4800}};
    const struct roofline second = {.roofs = mixed, .roof_count = 2};
    const double rates[] = {119300, 119.3, NAN}; // in GFLOP/s, in TFLOP/s, and without a rate
    for (size_t i = 0; i < 3; ++i) {
        const struct roofline_point any = point_of("s512", rates[i], 256);
        place = roofline_place(&second, &any, &arena);
        assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_ACCOUNTING_ERROR);
        assert_non_null(strstr(place.diagnosis.because, "ridge point is at 0.82 FLOP/byte"));
        assert_true(suspects(&place.diagnosis, "TFLOP/s divided by GB/s"));
    }
}

static void test_limits(void **state) {
    (void)state;
    struct roofline_point point = point_of("s512", 1.0199 * 790000, 1000); // just not
    assert_int_equal(roofline_place(&h200, &point, &arena).diagnosis.bottleneck, BOTTLENECK_COMPUTE);
    point.gflop_per_s = 1.0201 * 790000;
    assert_int_equal(roofline_place(&h200, &point, &arena).diagnosis.bottleneck, BOTTLENECK_ACCOUNTING_ERROR);
    point = point_of("s512", 1.03 * 4300 * 100, 100); // bytes faster than memory
    const struct roofline_place place = roofline_place(&h200, &point, &arena);
    assert_int_equal(place.diagnosis.bottleneck, BOTTLENECK_ACCOUNTING_ERROR);
    assert_non_null(strstr(place.diagnosis.because, "4.43 TB/s is 103 % of a ceiling (DRAM read 4.30 TB/s"));
    assert_true(suspects(&place.diagnosis, "bytes counted twice") && suspects(&place.diagnosis, "a cache"));
}

// Every threshold is in the page, with its value.
static void test_thresholds(void **state) {
    (void)state;
    char *text = NULL;
    size_t length = 0;
    struct err err = {0};
    if (file_read(ASSAY_SOURCE_DIR "/docs/profiling.md", 1 << 20, &text, &length, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < threshold_members.count; ++i) {
        const struct member *member = &threshold_members.members[i];
        double value;
        memcpy(&value, (const char *)&thresholds + member->offset, sizeof value);
        const char *row = arena_format(&arena, "| `%s` | %g | %s |", member->key, value, member->sentence);
        if (!strstr(text, row)) fail_msg("docs/profiling.md lacks %s", row);
    }
    free(text);
}

// ---- drawings ----

static struct roofline drawn(void) {
    static const struct {
        const char *problem, *kernel;
        double tflop_per_s, flop_per_byte;
    } rows[] = {
        {"s128", "fa", 90, 64},      {"s256", "fa", 220, 128},     {"s512", "fa", 357, 256},
        {"s1024", "fa", 480, 512},   {"s2048", "fa", 520, 1024},   {"mission", "fa", 40, 256},
        {"s512", "cudnn", 360, 256}, {"wrong", "cudnn", 900, 512}, {"a<b>&\"c\"\x1b", "\xff", 30, 300},
    };
    static struct roofline_point points[sizeof rows / sizeof *rows + 1];
    static struct profile profile;
    const size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count; ++i) {
        points[i] = point_of(rows[i].problem, 1000 * rows[i].tflop_per_s, rows[i].flop_per_byte);
        points[i].kernel = rows[i].kernel;
    }
    members_forget(&profile_members, &profile);
    profile.tensor_pct = 57;
    profile.dram_pct = 39;
    points[count] = point_of("s512", 357000, 190);
    points[count].flop_per_byte[LEVEL_L2] = 80;
    points[count].profile = &profile;
    struct roofline roofline = h200;
    roofline.points = points;
    roofline.point_count = count + 1;
    return roofline;
}

// ASSAY_REWRITE writes the golden files anew.
static void is_golden(const char *name, const char *got) {
    char *path = arena_format(&arena, "%s/%s", ASSAY_GOLDEN_DIR, name), *wanted = NULL;
    struct err err = {0};
    size_t length = 0;
    if (getenv("ASSAY_REWRITE") && file_write_atomic(path, got, strlen(got), &err) < 0)
        fail_msg("%s", err.text);
    if (file_read(path, 1 << 20, &wanted, &length, &err) < 0) fail_msg("%s", err.text);
    if (strcmp(got, wanted) != 0) fail_msg("not what %s has:\n%s", path, got);
    free(wanted);
}

static void test_text(void **state) {
    (void)state;
    const struct roofline all = drawn();
    struct roofline none = {.device = "cpu", .points = all.points, .point_count = 2};
    struct strbuf out = {0};
    roofline_text(&all, &(struct roofline_text_options){.width = 90}, &out);
    is_golden("roofline_ascii.txt", out.text);
    strbuf_clear(&out);
    roofline_text(&all, &(struct roofline_text_options){.width = 90, .has_utf8 = true}, &out);
    is_golden("roofline_utf8.txt", out.text);
    strbuf_clear(&out);
    roofline_text(&none, &(struct roofline_text_options){.width = 20, .has_color = true}, &out);
    assert_non_null(strstr(out.text, "note: no ceilings are stored"));
    assert_non_null(strstr(out.text, "FLOP/byte\n")); // points without roofs are drawn all the same
    strbuf_fini(&out);
}

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) ++count;
    return count;
}

static void test_svg(void **state) {
    (void)state;
    const struct roofline all = drawn();
    const struct roofline none = {.points = all.points, .point_count = 2}, empty = {0};
    struct strbuf out = {0};
    roofline_svg(&all, &out);
    assert_int_equal(count_of(out.text, "<path class=\"mark"), all.point_count + 1 + 3); // L2, legend
    assert_int_equal(count_of(out.text, "class=\"mark bad\""), 1);
    assert_int_equal(count_of(out.text, " counted\""), 2);
    assert_non_null(strstr(out.text, ">fp16 matrix 790 TFLOP/s (2026-11-21)<"));
    assert_non_null(strstr(out.text, ">ridge point DRAM at 184, L2 at 100 FLOP/byte<"));
    assert_non_null(strstr(out.text, "a&lt;b&gt;&amp;&quot;c&quot;\\x1b"));
    assert_null(strstr(out.text, "bf16")); // no point is held against it
    assert_null(strstr(out.text, "nan"));
    assert_null(strstr(out.text, "inf"));
    strbuf_clear(&out);
    roofline_svg(&none, &out);
    assert_non_null(strstr(out.text, "assay devices --ceilings"));
    strbuf_clear(&out);
    roofline_svg(&empty, &out);
    assert_non_null(strstr(out.text, "Nothing to draw"));
    strbuf_fini(&out);
}

// Figures that no machine has, as a file may hold them, end no drawing and start no endless one.
static void test_absurd(void **state) {
    (void)state;
    static const double values[] = {5e-324, 1e-300, 1e-9, 1, 1e14, 1e300, INFINITY, NAN, 0, -1};
    const size_t count = sizeof values / sizeof *values;
    struct strbuf out = {0};
    for (size_t i = 0; i < count * count * count; ++i) {
        const struct roof any[] = {{.name = "a", .value = values[i % count]},
                                   {.name = "b", .is_bandwidth = true, .value = values[i / count % count]}};
        const struct roofline_point point =
            point_of("p", values[i / count / count], values[(i + i / count) % count]);
        const struct roofline roofline = {.roofs = any, .roof_count = 2, .points = &point, .point_count = 1};
        strbuf_clear(&out);
        roofline_text(&roofline, &(struct roofline_text_options){.width = 60}, &out);
        roofline_svg(&roofline, &out);
        if (strstr(out.text, "nan")) fail_msg("%s", out.text);
        assert_true(out.length < 20000);
    }
    strbuf_fini(&out);
}

// Labels stay off each other, however many; kernels that lie together on a problem share one.
static void test_labels(void **state) {
    (void)state;
    enum { COUNT = 150 };
    static struct roofline_point points[COUNT];
    static char names[COUNT][24];
    struct roofline many = h200;
    struct strbuf out = {0};
    double x[COUNT], y[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        snprintf(names[i], sizeof names[i], "problem_%03u", (unsigned)i);
        points[i] = point_of(names[i], 300000 + 100 * (double)(i % 10), 250 + (double)(i / 10));
    }
    many.points = points;
    many.point_count = COUNT;
    roofline_svg(&many, &out);
    for (const char *at = out.text; (at = strstr(at, ">problem_")); ++at) {
        const char *begin = at;
        while (*begin != '<') --begin;
        if (sscanf(begin, "<text x=\"%lf\" y=\"%lf\"", &x[count], &y[count]) == 2) ++count;
    }
    assert_true(count > 10 && count < COUNT);
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < i; ++k) assert_true(fabs(x[i] - x[k]) > 70 || fabs(y[i] - y[k]) > 12.5);
    assert_non_null(strstr(out.text, "without a label"));
    for (size_t i = 0; i < COUNT; ++i) points[i].problem = "problem_000";
    strbuf_clear(&out);
    roofline_svg(&many, &out);
    assert_int_equal(count_of(out.text, ">problem_000<"), 1);
    strbuf_fini(&out);
}

static void test_json(void **state) {
    (void)state;
    const struct roofline all = drawn();
    struct strbuf out = {0};
    struct err err = {0};
    json_t *root = NULL;
    roofline_json(&all, &out);
    if (json_read_text(out.text, out.length, "roofline", &root, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(json_array_size(json_object_get(root, "points")), all.point_count);
    assert_int_equal(json_array_size(json_object_get(root, "ceilings")), all.roof_count);
    json_decref(root);
    strbuf_fini(&out);
}

static int teardown(void **state) {
    (void)state;
    arena_fini(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),  cmocka_unit_test(test_roofs),   cmocka_unit_test(test_places),
        cmocka_unit_test(test_cached),  cmocka_unit_test(test_counted), cmocka_unit_test(test_no_ceilings),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_limits),  cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_text),    cmocka_unit_test(test_svg),     cmocka_unit_test(test_labels),
        cmocka_unit_test(test_json),    cmocka_unit_test(test_absurd),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
