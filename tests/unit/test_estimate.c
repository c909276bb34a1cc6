// SPDX-License-Identifier: Apache-2.0
//
// The time that --dry-run estimates is within a factor of three of runs that were timed on an H200.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/plan/manifest/manifest.h"
#include "control/plan/plan.h"
#include "control/plan/suite.h"

static struct plan_case *cases_of(const char *suite_name, struct arena *arena, size_t *ret_count) {
    struct manifest none;
    struct suite suite;
    manifest_empty(&none);
    assert_int_equal(suite_resolve(&none, suite_name, NULL, arena, &suite, NULL), 0);
    struct plan_case *cases = arena_array(arena, suite.item_count, sizeof *cases);
    for (size_t i = 0; i < suite.item_count; ++i) cases[i].problem = suite.items[i].problem;
    *ret_count = suite.item_count;
    manifest_fini(&none);
    return cases;
}

static struct plan plan_of(const char *device, struct arena *arena) {
    struct plan plan = {
        .device = device, .side_count = 2, .sampling = sampling_default(), .look_count = 1, .looks = {5}};
    plan.cases = cases_of("ci", arena, &plan.case_count);
    return plan;
}

static void assert_about(double got_s, double timed_s) {
    if (!(got_s > timed_s / 3 && got_s < timed_s * 3)) fail_msg("%g s said, %g s timed", got_s, timed_s);
}

static void test_gate_on_gpu(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan plan = plan_of("cuda:0", &arena);
    plan.sampling.sample_count = 20;
    assert_about(plan_expected_s(&plan), 22);
    plan.gate.is_same_code = true;
    assert_true(plan_expected_s(&plan) == 0);
    arena_fini(&arena);
}

static void test_bench_on_gpu(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan plan = plan_of("GPU-1a2b", &arena);
    plan.side_count = 4;
    plan.looks[0] = 1;
    const double without_s = plan_expected_s(&plan);
    plan.sides[3].python = "torch_sdpa:own";
    const double with_s = plan_expected_s(&plan);
    assert_about(with_s, 31);
    assert_true(with_s > without_s + 1);
    arena_fini(&arena);
}

static void test_matrix_on_gpu(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan plan = {.device = "cuda:0", .side_count = 1};
    plan.checks = cases_of("fuzz", &arena, &plan.check_count);
    assert_about(plan_expected_s(&plan), 0.8);
    arena_fini(&arena);
}

static void test_processor_is_slower(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan gpu = plan_of("cuda:0", &arena), cpu = plan_of("cpu", &arena),
                sim = plan_of("sim:steady", &arena);
    assert_true(plan_expected_s(&cpu) > 20 * plan_expected_s(&gpu));
    assert_true(plan_expected_s(&sim) == 0);
    arena_fini(&arena);
}

// As long as the plan thinks, or four times as long, if the first measurement was.
static void test_after_the_first_measurement(void **state) {
    (void)state;
    struct arena arena = {0};
    struct plan plan = plan_of("cpu", &arena), sim = plan_of("sim:steady", &arena);
    plan.check_count = 0;
    const double one_s = plan_first_look_s(&plan, 0, 1);
    assert_true(one_s > 5);
    assert_true(fabs(plan_first_look_s(&plan, 0, 4) / one_s - 4) < 1e-9);
    assert_true(plan_first_look_s(&plan, 1, 1) < 10 * one_s);
    assert_true(plan_first_look_s(&sim, 0, 1) == 0);
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_the_first_measurement),
        cmocka_unit_test(test_gate_on_gpu),
        cmocka_unit_test(test_bench_on_gpu),
        cmocka_unit_test(test_matrix_on_gpu),
        cmocka_unit_test(test_processor_is_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
