// SPDX-License-Identifier: Apache-2.0
//
// The space of a tuning: rules, what a kernel declares and what the manifest leaves of it, points, limits on
// what the compiler reports, scripts of simulated kernels.
#include <math.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "control/plan/config_rule.h"
#include "control/tune/tune_search.h"
#include "control/tune/tune_space.h"
#include "control/tune/tune_steer.h"
#include "unit/made_manifest.h"

static const struct manifest_setting settings[] = {{"BLOCK_M", 64}, {"BLOCK", 7}, {"WARPS", 4}, {"ZERO", 0}};
#define SETTING_COUNT (sizeof settings / sizeof *settings)

static void rules_hold(void **state) {
    (void)state;
    static const struct {
        const char *rule;
        bool holds;
    } rules[] = {
        {"BLOCK_M % WARPS == 0", true},
        {"BLOCK % WARPS==0", false},
        {"2 + 3 * BLOCK == 23", true}, // products first
        {"(2 + 3) * BLOCK == 35", true},
        {"BLOCK_M - WARPS - 10 == 50", true}, // from the left
        {"BLOCK_M / WARPS / 2 == 8", true},
        {"-WARPS < 0", true},
        {"BLOCK_M<=64", true},
        {"BLOCK_M < 64", false},
        {"BLOCK_M >= 65", false},
        {"BLOCK_M != 64", false},
        {"BLOCK_M > 63", true},
        {"WARPS / ZERO != 1", false}, // undefined never holds
        {"WARPS % ZERO != 1", false},
        {"9223372036854775807 + WARPS != 0", false},
        {"BLOCK_M * 9223372036854775807 != 0", false},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        struct err err = {0};
        bool holds = !rules[i].holds;
        if (config_rule_holds(rules[i].rule, settings, SETTING_COUNT, &holds, &err) < 0)
            fail_msg("%s: %s", rules[i].rule, err.text);
        if (holds != rules[i].holds) fail_msg("%s", rules[i].rule);
    }
}

static void rules_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *rule, *said;
    } rules[] = {
        {"", "column 1: a number or a name is missing"},
        {"BLOCK_M", "'BLOCK_M': one of == != < <= > >= is missing"},
        {"BLOCK_M = 64", "column 9: it should end here"},
        {"BLOCK_M == 64 64", "column 15: it should end here"},
        {"(BLOCK_M == 64", "column 10: a ')' is missing"},
        {"99999999999999999999 > 1", "the number is too large"},
        {"BLOCK_N > 1", "column 1: the kernel declares no setting of that name"},
    };
    struct err err = {0};
    bool holds;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        assert_int_equal(config_rule_holds(rules[i].rule, settings, SETTING_COUNT, &holds, &err),
                         -ERR_CONFIG);
        if (!strstr(err.text, rules[i].said)) fail_msg("%s: %s", rules[i].rule, err.text);
    }
    char deep[200];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    assert_int_equal(config_rule_check(deep, &err), -ERR_CONFIG);
    assert_non_null(strstr(err.text, "nested too deeply"));
    assert_int_equal(config_rule_check("ANY_NAME % 2 == 0", &err), 0);
}

// ---- from declaration and manifest ----

static const struct kernel_description declared = {
    .name = "mine",
    .param_count = 4,
    .params = {{.name = "WARPS", .value = 4, .value_count = 3, .values = {2, 4, 8}},
               {.name = "BLOCK_M", .value = 64, .value_count = 4, .values = {128, 16, 32, 64}},
               {.name = "FREE", .value = 9},
               {.name = "ONE", .value = 5, .value_count = 1, .values = {5}}},
};

#define SOURCE "version: 1\nkernels:\n  mine: {operator: scale, source: a.c, "

static struct manifest manifest;
static struct tune_space space;

static int make(const char *text, const struct kernel_description *description, struct err *err) {
    manifest_fini(&manifest);
    if (made_manifest_parse(text, &manifest) < 0) fail_msg("%s", made_manifest_error.text);
    return tune_space_make(description, &manifest.kernels[0], &space, err);
}

static void made(const char *text) {
    struct err err = {0};
    if (make(text, &declared, &err) < 0) fail_msg("%s", err.text);
}

static void assert_config(const struct tune_point *point, const char *config) {
    struct arena arena = {0};
    assert_string_equal(tune_point_text(&space, point, &arena), config);
    arena_fini(&arena);
}

static void declared_values(void **state) {
    (void)state;
    made(SOURCE "config: {BLOCK_M: 32, OTHER: 3}}\n");
    assert_int_equal(space.knob_count, 2); // sorted by name, values ascending
    assert_int_equal(space.point_count, 12);
    assert_true(space.is_start_exact);
    const struct tune_point start = tune_space_start(&space);
    assert_config(&start, "BLOCK_M=32,WARPS=4"); // the manifest's, then the kernel's own
    for (uint64_t i = 0; i < space.point_count; ++i) {
        const struct tune_point point = tune_space_point(&space, i);
        assert_int_equal(tune_space_number(&space, &point), i);
        assert_null(tune_space_find_broken(&space, &point));
    }
    const struct tune_point last = tune_space_point(&space, 11);
    assert_config(&last, "BLOCK_M=128,WARPS=8");
}

static void manifest_values_and_rules(void **state) {
    (void)state;
    made(SOURCE "config: {OTHER: 3}, tune: {values: {BLOCK_M: [128, 32], WARPS: [8]},\n"
                "         rules: [BLOCK_M / WARPS <= 4, OTHER + ONE + FREE == 17]}}\n");
    assert_int_equal(space.point_count, 2);
    assert_false(space.is_start_exact); // the baseline has 64, which is not tried
    const struct tune_point small = tune_space_point(&space, 0), large = tune_space_point(&space, 1);
    assert_null(tune_space_find_broken(&space, &small));
    assert_string_equal(tune_space_find_broken(&space, &large), "BLOCK_M / WARPS <= 4");
}

static void configs_are_parsed(void **state) {
    (void)state;
    struct tune_point point;
    made(SOURCE "}\n");
    assert_true(tune_point_parse(&space, "WARPS=2, BLOCK_M=128", &point));
    assert_config(&point, "BLOCK_M=128,WARPS=2");
    assert_true(tune_point_parse(&space, "WARPS=8", &point)); // the others as in the baseline
    assert_config(&point, "BLOCK_M=64,WARPS=8");
    static const char *const wrong[] = {"WARPS=3", "WARP=2", "WARPS", "WARPS=2,", "WARPS=2x", "ONE=5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        assert_false(tune_point_parse(&space, wrong[i], &point));
}

static void spaces_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
        int code;
    } cases[] = {
        {SOURCE "tune: {values: {BLOCK_N: [1, 2]}}}\n",
         "declares no setting 'BLOCK_N'; it has WARPS, BLOCK_M", -ERR_CONFIG},
        {SOURCE "tune: {values: {WARPS: [2, 3]}}}\n", "does not declare WARPS=3", -ERR_CONFIG},
        {SOURCE "tune: {rules: [WARP > 1]}}\n", "column 1: the kernel declares no setting of that name",
         -ERR_CONFIG},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct err err = {0};
        assert_int_equal(make(cases[i].text, &declared, &err), cases[i].code);
        if (!strstr(err.text, cases[i].said)) fail_msg("%s", err.text);
    }
    struct err err = {0};
    made(SOURCE "tune: {values: {WARPS: [2], BLOCK_M: [16]}}}\n"); // a proposer may still write sources
    assert_int_equal(tune_space_need_knobs(&space, "mine", &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "has nothing to tune"));
}

// Variants are named by their settings, those of a proposed source by its number.
static void proposals_are_named(void **state) {
    (void)state;
    struct arena arena = {0};
    made(SOURCE "config: {WARPS: 4, BLOCK_M: 64}}\n");
    struct tune_point point = tune_space_start(&space);
    const struct tune_point start = point;
    point.source = 3;
    assert_false(tune_point_is_equal(&point, &start));
    assert_string_equal(tune_point_text(&space, &point, &arena), "proposal=3");
    assert_string_equal(tune_point_config(&space, &point, &arena), "BLOCK_M=64,WARPS=4");
    point.at[1] = 2;
    assert_string_equal(tune_point_text(&space, &point, &arena), "proposal=3,BLOCK_M=64,WARPS=8");
    arena_fini(&arena);
}

// The steps of the first heat, in their order, with and without a profile.
static void profiles_steer(void **state) {
    (void)state;
    static const struct {
        enum bottleneck bottleneck;
        const char *said, *first_knob; // that the first two steps change
    } cases[] = {{BOTTLENECK_COMPUTE, "compute_bound: WARPS first", "WARPS"},
                 {BOTTLENECK_SMALL_GRID, "small_grid: BLOCK_M first", "BLOCK_M"},
                 {BOTTLENECK_UNKNOWN, NULL, NULL}};
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        made(SOURCE "config: {WARPS: 4, BLOCK_M: 64}}\n");
        const char *said = tune_steer(&space, cases[i].bottleneck, &arena);
        if (!cases[i].said) assert_null(said);
        if (!cases[i].said) continue;
        assert_string_equal(said, cases[i].said);
        for (uint64_t seed = 0; seed < 20; ++seed) { // wherever the draw begins
            struct tune_search search;
            struct tune_point points[2];
            const struct tune_point start = tune_space_start(&space);
            tune_search_init(&search, &space, TUNE_EVOLUTIONARY, seed);
            assert_int_equal(tune_search_next(&search, points, 2), 2);
            for (size_t k = 0; k < space.knob_count; ++k)
                if (points[0].at[k] != start.at[k])
                    assert_string_equal(space.knobs[k].name, cases[i].first_knob);
            tune_search_fini(&search);
        }
    }
    arena_fini(&arena);
}

static void compiler_limits(void **state) {
    (void)state;
    struct arena arena = {0};
    struct build_report build = build_report_unknown();
    made(SOURCE "tune: {shared_bytes_max: 1000, spill_bytes_max: 0}}\n");
    assert_null(tune_space_find_exceeded(&space, &build, &arena)); // what is not known exceeds nothing
    build.shared_bytes = 1000;
    build.spill_bytes = 0;
    build.registers = 255; // no limit is given
    assert_null(tune_space_find_exceeded(&space, &build, &arena));
    build.spill_bytes = 8;
    assert_string_equal(tune_space_find_exceeded(&space, &build, &arena),
                        "8 bytes of spills; the manifest allows 0");
    build.shared_bytes = 1001;
    assert_string_equal(tune_space_find_exceeded(&space, &build, &arena),
                        "1001 bytes of shared memory; the manifest allows 1000");
    arena_fini(&arena);
}

// ---- simulated kernels ----

static void scripts(void **state) {
    (void)state;
    struct arena arena = {0};
    struct err err = {0};
    struct tune_point point;
    const int code =
        make("version: 1\n"
             "kernels:\n"
             "  mine: {operator: scale, sim: {base_us: 50, slower_pct: 20}, tune: {\n"
             "    values: {B: [1, 2], A: [4, 8]},\n"
             "    effects: [{when: {A: 8}, sim: {slower_pct: -50}},\n"
             "              {when: {A: 8, B: 2}, sim: {slower_pct: 10, crash_at_launch: 3}}]}}\n",
             NULL, &err);
    if (code < 0) fail_msg("%s", err.text);
    assert_int_equal(space.point_count, 4);
    const struct sim_kernel *own = manifest.kernels[0].sim;
    const struct tune_point start = tune_space_start(&space);
    assert_config(&start, "A=4,B=1");
    assert_true(tune_space_script(&space, own, &start, &arena)->slower_pct == 20);
    assert_true(tune_point_parse(&space, "A=8", &point));
    const struct sim_kernel *one = tune_space_script(&space, own, &point, &arena);
    assert_true(fabs(one->slower_pct + 40) < 1e-9 && one->base_us == 50 && one->crash_at_launch == 0);
    assert_true(tune_point_parse(&space, "A=8,B=2", &point));
    const struct sim_kernel *both = tune_space_script(&space, own, &point, &arena);
    assert_true(fabs(both->slower_pct + 34) < 1e-9 && both->base_us == 50);
    assert_int_equal(both->crash_at_launch, 3);
    assert_string_equal(both->name, "mine");
    arena_fini(&arena);
}

static void manifests_are_refused(void **state) {
    (void)state;
    made_manifest_refuse(SOURCE "tune: {values: {\"1A\": [1, 2]}}}\n",
                         "assay.yaml:3:56: kernels.mine.tune.values.1A: must be a macro name");
    made_manifest_refuse(SOURCE "tune: {values: {A: []}}}\n",
                         "assay.yaml:3:59: kernels.mine.tune.values.A: has 0 values; it takes 1 to 32");
    made_manifest_refuse(SOURCE "tune: {values: {A: [2, 1, 2]}}}\n",
                         "assay.yaml:3:59: kernels.mine.tune.values.A: lists 2 twice");
    made_manifest_refuse(SOURCE "tune: {rules: [A > 1, A >> 1]}}\n",
                         "assay.yaml:3:54: kernels.mine.tune.rules: 'A >> 1', column 4:");
    made_manifest_refuse(SOURCE "tune: {effects: [{when: {A: 1}, sim: {}}]}}\n",
                         "assay.yaml:3:56: kernels.mine.tune.effects: has no effect here");
    made_manifest_refuse("version: 1\nkernels:\n  mine: {operator: scale, sim: {}, tune: {}}\n",
                         "assay.yaml:3:42: kernels.mine.tune: needs 'values'");
    made_manifest_refuse("version: 1\nkernels:\n  mine: {operator: scale, library: a.so, tune: {}}\n",
                         "assay.yaml:3:48: kernels.mine.tune: has no effect here");
    made_manifest_refuse(
        "version: 1\nkernels:\n  mine: {operator: scale, sim: {}, tune: {values: {A: [1, 2]},\n"
        "    effects: [{when: {A: 1}}]}}\n",
        "assay.yaml:4:15: kernels.mine.tune.effects[0].sim: is missing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_hold),
        cmocka_unit_test(rules_are_refused),
        cmocka_unit_test(declared_values),
        cmocka_unit_test(manifest_values_and_rules),
        cmocka_unit_test(configs_are_parsed),
        cmocka_unit_test(spaces_are_refused),
        cmocka_unit_test(proposals_are_named),
        cmocka_unit_test(profiles_steer),
        cmocka_unit_test(compiler_limits),
        cmocka_unit_test(scripts),
        cmocka_unit_test(manifests_are_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    manifest_fini(&manifest);
    return failed;
}
