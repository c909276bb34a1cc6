// SPDX-License-Identifier: Apache-2.0
//
// A profile's document is read as it was written, with its roofline; what is none is refused with its place.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/profile/profile_document.h"

static struct arena arena;

static struct profiled recorded_gpu(void) {
    const char *path = arena_format(&arena, "%s/nsight/sm90_s512.raw.csv", ASSAY_GOLDEN_DIR);
    struct nsight_report report;
    struct err err = {0};
    if (nsight_csv_read(path, &arena, &report, &err) < 0) fail_msg("%s", err.text);
    struct profiled ret = profiled_make(&report.launches[0], false, &arena);
    ret.problem = "attention/fp16/b4/h16/s512/d64";
    ret.profiler = "Nsight Compute";
    return ret;
}

static struct profiled made_cpu(void) {
    struct profiled ret = {.problem = "scale/fp32/n64",
                           .profiler = "perf events",
                           .note = "branches are not counted here",
                           .is_cpu = true,
                           .cpu_profile = {.instructions = 1e9,
                                           .cycles = 2e9,
                                           .instructions_per_cycle = 0.5,
                                           .cache_misses_per_kilo_instr = 7.25,
                                           .branch_miss_pct = NAN,
                                           .l1d_miss_pct = NAN,
                                           .vector_bits = NAN,
                                           .context_switches = 3}};
    ret.diagnosis = cpu_profile_diagnose(&ret.cpu_profile, &arena);
    return ret;
}

static void comes_back(const struct profiled *launch, const struct roofline *roofline) {
    const struct profile_report report = {.count = 1, .items = launch, .roofline = roofline};
    const struct roofline_text_options options = {.width = 80};
    struct strbuf text[2] = {{0}, {0}}, json[2] = {{0}, {0}}, svg[2] = {{0}, {0}};
    struct profile_document document;
    struct err err = {0};
    profile_report_json(&report, &json[0]);
    profile_report_text(&report, &options, &text[0]);
    roofline_svg(roofline, &svg[0]);
    if (profile_document_read(&json[0], "p.json", &arena, &document, &err) < 0) fail_msg("%s", err.text);
    const struct profile_report again = profile_document_report(&document);
    profile_report_json(&again, &json[1]);
    profile_report_text(&again, &options, &text[1]);
    roofline_svg(again.roofline, &svg[1]);
    assert_string_equal(json[1].text, json[0].text);
    assert_string_equal(text[1].text, text[0].text);
    assert_string_equal(svg[1].text, svg[0].text);
    for (size_t i = 0; i < 2; ++i) {
        strbuf_fini(&text[i]);
        strbuf_fini(&json[i]);
        strbuf_fini(&svg[i]);
    }
}

static void a_profile_of_a_gpu_comes_back(void **state) {
    (void)state;
    static const struct roof roofs[] = {
        {.name = "fp16 matrix", .value = 800000, .dtype = "fp16", .measured = "2026-11-21"},
        {.name = "DRAM", .is_bandwidth = true, .level = LEVEL_DRAM, .value = 4000},
        {.name = "L2", .is_bandwidth = true, .level = LEVEL_L2, .value = 9000}};
    const struct profiled launch = recorded_gpu();
    struct roofline_point points[] = {roofline_point_modelled(1e10, 5e7, 5e4),
                                      roofline_point_counted(&launch.profile, 1e10, 5e4)};
    for (size_t i = 0; i < 2; ++i) {
        points[i].problem = "s512";
        points[i].kernel = "fa_sm90";
        points[i].dtype = "fp16";
        points[i].has_byte_ceiling = true;
    }
    const struct roofline roofline = {
        .device = "A GPU", .roof_count = 3, .point_count = 2, .roofs = roofs, .points = points};
    comes_back(&launch, &roofline);
}

static void a_profile_of_a_processor_comes_back(void **state) {
    (void)state;
    const struct profiled launch = made_cpu();
    struct roofline_point point = roofline_point_modelled(1e6, 5e5, NAN); // in warm runs: no ceiling of bytes
    point.problem = "n64";
    const struct roofline roofline = {.point_count = 1, .points = &point};
    comes_back(&launch, &roofline);
}

static void what_is_none_is_refused(void **state) {
    (void)state;
#define LAUNCH "{\"launches\": [{\"is_cpu\": false, \"profile\": {}}], \"roofline\": "
    static const char *const bad[][2] = {
        {"{}", "key 'launches' is missing"},
        {"{\"launches\": []}", "it has no launch"},
        {"{\"launches\": [{}]}", "launches[0]: key 'is_cpu' is missing"},
        {"{\"launches\": [{\"is_cpu\": true}]}", "key 'profile' is missing"},
        {"{\"launches\": [{\"is_cpu\": false, \"profile\": {\"sm_pct\": \"x\"}}]}", "a finite number"},
        {"{\"launches\": [{}, {}]}", "launches"},
        {LAUNCH "{}}", "roofline: key 'ceilings' is missing"},
        {LAUNCH "{\"ceilings\": [{\"name\": \"a\", \"gflop_per_s\": 0}], \"points\": []}}",
         "must be above 0"},
        {LAUNCH "{\"ceilings\": [{\"name\": \"a\", \"level\": \"L9\"}], \"points\": []}}", "L9"},
        {LAUNCH "{\"ceilings\": [], \"points\": [{}]}}", "points[0]: key 'problem' is missing"},
        {"{", "not valid JSON"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        struct strbuf text = {0};
        struct profile_document document;
        struct err err = {0};
        strbuf_add(&text, bad[i][0]);
        assert_int_equal(profile_document_read(&text, "p.json", &arena, &document, &err), -ERR_DATA);
        if (!strstr(err.text, bad[i][1]) || !strstr(err.text, "p.json"))
            fail_msg("'%s' is refused with '%s'", bad[i][0], err.text);
        strbuf_fini(&text);
    }
}

static int free_arena(void **state) {
    (void)state;
    arena_fini(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_of_a_gpu_comes_back),
        cmocka_unit_test(a_profile_of_a_processor_comes_back),
        cmocka_unit_test(what_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_arena);
}
