// SPDX-License-Identifier: Apache-2.0
//
// The same plan always gives the same orders, drawn anew for every round, and reads back as it was written.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "control/plan/plan.h"

enum { CASE_COUNT = 10 };

static void plan_make(struct plan *plan) {
    *plan =
        (struct plan){.run_id = "r", .command = "gate", .device = "cpu", .seed = UINT64_MAX, .side_count = 2};
    plan->sides[0] = (struct result_side){.role = SIDE_BASELINE, .label = "a", .module_path = "a.so"};
    plan->sides[1] =
        (struct result_side){.role = SIDE_CANDIDATE, .label = "b", .module_path = "b.so", .config = "A=1"};
    plan->check_side_mask = 2;
    plan->case_count = CASE_COUNT;
    plan->cases = arena_array(&plan->arena, CASE_COUNT, sizeof *plan->cases);
    for (size_t i = 0; i < CASE_COUNT; ++i) {
        struct err err = {0};
        struct plan_case *item = &plan->cases[i];
        char name[64];
        snprintf(name, sizeof name, "attention/fp32/b1/h1/s%zu/d64", 64 * (i + 1));
        if (problem_parse(&operators_compiled, name, &item->problem, &err) < 0) fail_msg("%s", err.text);
        item->distribution = "normal";
        item->memory_layout = MEMORY_LAYOUT_DENSE;
        item->seed = i;
    }
    plan->check_count = 2;
    plan->checks = plan->cases;
    plan->look_count = 4;
    for (uint32_t i = 0; i < 4; ++i) plan->looks[i] = 5 * (i + 1);
    plan->is_sequential = true;
    plan->round_repeat_max = 3;
    plan->gate.spec.regression_pct = 3;
    plan->gate.spec.improvement_pct = 10;
    plan->sampling.limits.case_s = 60;
    plan->repeat_count = 7;
    plan->variant_limit = 6;
    plan->thread_count = 2;
    plan->is_oracle_only = plan->gate.spec.allows_removed = plan->is_integrated_form = true;
    plan->manifest = "other.yaml";
    plan->target_speedup = 1.4;
    plan->cost_per_hour = 2.5;
    plan->sides[1].reproduce = "--kernel b --config A=1";
    plan->sampling = sampling_default();
}

static bool is_same_order(const struct work_order *a, const struct work_order *b) {
    for (size_t i = 0; i < a->case_count; ++i) {
        if (a->case_count != b->case_count || a->cases[i].index != b->cases[i].index) return false;
    }
    return true;
}

static void test_rounds(void **state) {
    (void)state;
    struct plan plan;
    struct arena arena = {0};
    struct work_order first, again, second, part;
    plan_make(&plan);
    plan_round_order(&plan, &(struct plan_round){0, 0, NULL, 0}, &arena, &first);
    plan_round_order(&plan, &(struct plan_round){0, 1, NULL, 0}, &arena, &again);
    plan_round_order(&plan, &(struct plan_round){1, 0, NULL, 0}, &arena, &second);
    assert_true(is_same_order(&first, &again));
    assert_false(is_same_order(&first, &second));
    assert_false(first.is_first_side_flipped);
    assert_true(second.is_first_side_flipped);
    assert_int_equal(again.attempt, 1);
    assert_int_equal(first.cases[0].side_mask, 3);
    assert_string_equal(first.sides[1].module_path, "b.so");
    assert_null(first.sides[1].config); // only a describe order carries it
    uint32_t seen = 0;
    for (size_t i = 0; i < CASE_COUNT; ++i) seen |= 1u << first.cases[i].index;
    assert_int_equal(seen, (1u << CASE_COUNT) - 1);
    // What is left of a round keeps its order.
    const uint32_t rest[] = {first.cases[7].index, first.cases[2].index, first.cases[5].index};
    plan_round_order(&plan, &(struct plan_round){0, 0, rest, 3}, &arena, &part);
    assert_int_equal(part.case_count, 3);
    assert_int_equal(part.cases[0].index, first.cases[2].index);
    assert_int_equal(part.cases[2].index, first.cases[7].index);
    arena_fini(&arena);
    plan_fini(&plan);
}

static void test_checks(void **state) {
    (void)state;
    struct plan plan;
    struct arena arena = {0};
    struct work_order order;
    plan_make(&plan);
    plan_check_order(&plan, NULL, 0, &arena, &order);
    assert_int_equal(order.kind, WORK_CHECK);
    assert_int_equal(order.case_count, 2);
    assert_int_equal(order.cases[1].index, 1);
    assert_int_equal(order.cases[1].side_mask, 2);
    arena_fini(&arena);
    plan_fini(&plan);
}

// Tolerances of one's own reach the order, and the worker reads them: the kernel's, else the suite's.
static void test_tolerances(void **state) {
    (void)state;
    const struct own_tolerance kernel = {.atol = 0, .rtol = NAN, .min_pass = NAN, .why = "kernel"};
    const struct own_tolerance suite = {
        .atol = NAN, .rtol = NAN, .min_pass = NAN, .is_two_x_off = true, .why = "s"};
    const struct own_tolerance *found[WORK_SIDES_MAX];
    struct plan plan;
    struct arena arena = {0};
    struct work_order order, got;
    struct err err = {0};
    struct strbuf text = {0};
    plan_make(&plan);
    plan.sides[1].tolerance = &kernel;
    plan.checks[0].tolerance = &suite;
    plan_check_order(&plan, NULL, 0, &arena, &order);
    work_order_write(&order, &text);
    if (work_order_parse(strbuf_text(&text), text.length, &arena, &got, &err) < 0) fail_msg("%s", err.text);
    work_order_find_tolerances(&got, &got.cases[0], found);
    assert_true(found[0]->is_two_x_off && isnan(found[0]->atol));
    assert_string_equal(found[1]->why, "kernel");
    assert_true(found[1]->atol == 0 && !found[1]->is_two_x_off);
    work_order_find_tolerances(&got, &got.cases[1], found);
    assert_null(found[0]);
    strbuf_fini(&text);
    arena_fini(&arena);
    plan_fini(&plan);
}

// A policy decides in place of the kernel's, none too; without either the suite's holds.
static void test_whose_tolerance(void **state) {
    (void)state;
    const struct own_tolerance kernel = {.why = "k"}, suite = {.why = "s"}, policy = {.why = "p"};
    const struct own_tolerance *decided = &policy, *none = NULL;
    assert_null(own_tolerance_choose(NULL, NULL, NULL));
    assert_ptr_equal(own_tolerance_choose(NULL, NULL, &suite), &suite);
    assert_ptr_equal(own_tolerance_choose(NULL, &kernel, &suite), &kernel);
    assert_ptr_equal(own_tolerance_choose(&decided, &kernel, &suite), &policy);
    assert_ptr_equal(own_tolerance_choose(&none, &kernel, &suite), &suite);
    assert_null(own_tolerance_choose(&none, &kernel, NULL));
}

static void plan_of_text(const struct strbuf *text, struct plan *ret) {
    struct err err = {0};
    json_t *root = NULL;
    if (json_read_text(text->text, text->length, "plan", &root, &err) < 0 ||
        plan_parse(root, "plan", ret, &err) < 0)
        fail_msg("%s", err.text);
    json_decref(root);
}

// Limits go from the plan into its orders, and through both documents; those of an older plan are read.
static void test_limits(void **state) {
    (void)state;
    const struct run_limits limits = {
        .case_s = 7, .gate_s = 600, .memory_gb = 1.5, .busy_pct = 12, .priority = RUN_PRIORITY_NORMAL};
    struct plan plan, got;
    struct arena arena = {0};
    struct work_order order, sent;
    struct err err = {0};
    struct strbuf text = {0}, older = {0};
    plan_make(&plan);
    plan.sampling.limits = limits;
    plan_check_order(&plan, NULL, 0, &arena, &order);
    work_order_write(&order, &text);
    if (work_order_parse(strbuf_text(&text), text.length, &arena, &sent, &err) < 0) fail_msg("%s", err.text);
    assert_memory_equal(&sent.sampling.limits, &limits, sizeof limits);
    strbuf_fini(&text);
    plan_write(&plan, &text);
    plan_of_text(&text, &got);
    assert_memory_equal(&got.sampling.limits, &limits, sizeof limits);
    plan_fini(&got);
    strbuf_fini(&text);
    plan.sampling.limits = (struct run_limits){.busy_pct = 12};
    plan_write(&plan, &text);
    assert_int_equal(text.text[0], '{');
    strbuf_addf(&older, "{\"case_limit_s\": 7, \"run_limit_s\": 0, \"memory_limit_gb\": 1.5, %s",
                text.text + 1);
    plan_of_text(&older, &got);
    const struct run_limits old_limits = {.case_s = 7, .memory_gb = 1.5, .busy_pct = 12};
    assert_memory_equal(&got.sampling.limits, &old_limits, sizeof old_limits);
    plan_fini(&got);
    strbuf_fini(&older);
    strbuf_fini(&text);
    arena_fini(&arena);
    plan_fini(&plan);
}

static void test_document(void **state) {
    (void)state;
    char path[] = "/tmp/assay_plan_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct plan plan, got;
    struct err err = {0};
    struct strbuf text = {0}, again = {0};
    plan_make(&plan);
    assert_true(ratchet_parse("5 %", &plan.gate.spec.ratchets.of[COMPILER_BINARY_BYTES]));
    plan_write(&plan, &text);
    if (plan_write_file(&plan, path, &err) < 0) fail_msg("%s", err.text);
    if (plan_read_file(path, &got, &err) < 0) fail_msg("%s", err.text);
    const struct ratchet *ratchets = got.gate.spec.ratchets.of;
    assert_true(ratchets[COMPILER_BINARY_BYTES].is_pct && ratchets[COMPILER_BINARY_BYTES].amount == 5);
    assert_false(ratchets[COMPILER_SPILLS].is_given);
    plan_write(&got, &again);
    assert_string_equal(text.text, again.text);
    assert_true(got.seed == UINT64_MAX && got.variant_limit == 6);
    assert_true(got.is_oracle_only && got.gate.spec.allows_removed && got.is_integrated_form);
    struct result result;
    assert_int_equal(plan_result(&got, &result, &err), 0);
    plan_fini(&got); // the result owns its strings
    assert_string_equal(result.sides[1].config, "A=1");
    assert_int_equal(result.case_count, CASE_COUNT);
    assert_string_equal(result.sides[1].reproduce, "--kernel b --config A=1");
    assert_string_equal(result.manifest, "other.yaml");
    assert_int_equal(result.repeat_count, 7);
    assert_int_equal(result.thread_count, 2);
    assert_true(result.target_speedup == 1.4 && result.cost_per_hour == 2.5);
    result_fini(&result);
    char *looks = strstr(text.text, "\"kind\": \"assay.plan\"");
    assert_non_null(looks);
    looks[9] = 'b';
    if (file_write_atomic(path, text.text, text.length, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(plan_read_file(path, &got, &err), -ERR_DATA);
    if (file_write_atomic(path, text.text, text.length / 2, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(plan_read_file(path, &got, &err), -ERR_DATA);
    plan.sampling.limits.case_s = 1e300; // would not fit nanoseconds
    if (plan_write_file(&plan, path, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(plan_read_file(path, &got, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "case_s"));
    unlink(path);
    assert_int_equal(plan_read_file(path, &got, &err), -ERR_NO_INPUT);
    strbuf_fini(&text);
    strbuf_fini(&again);
    plan_fini(&plan);
}

// Scripts are the plan's: they reach every order, come back from plan.json, and are copied, not lent,
// everywhere.
static void test_simulated(void **state) {
    (void)state;
    struct sim_episode episode = {
        .from_round = 2, .to_round = 3, .throttle = "hw_slowdown", .others_pct = 12};
    struct sim_device device = sim_device_quiet("sim:x");
    struct sim_kernel kernel = sim_kernel_plain("k");
    struct plan plan, got;
    struct result result;
    struct err err = {0};
    struct strbuf text = {0}, again = {0};
    struct arena arena = {0};
    struct work_order round, check;
    device.summary = "a device";
    device.noise.process_pct = 2;
    device.episodes = &episode;
    device.episode_count = 1;
    kernel.slower_pct = 5;
    kernel.slower_on = "scale/fp32/n64";
    plan_make(&plan);
    plan.sim = sim_device_copy(&plan.arena, &device);
    plan.sides[1].sim = &kernel;
    plan.sides[1] = result_side_copy(&plan.arena, &plan.sides[1]);
    plan.gate.confirms_run_id = "20261121-000000-gate-0000";
    plan.gate.earlier_run_count = 2;
    device = sim_device_quiet("sim:other");
    episode.throttle = NULL;
    kernel = sim_kernel_plain("other");
    plan_write(&plan, &text);
    json_t *root = NULL;
    if (json_read_text(text.text, text.length, "plan", &root, &err) < 0) fail_msg("%s", err.text);
    if (plan_parse(root, "plan", &got, &err) < 0) fail_msg("%s", err.text);
    json_decref(root);
    plan_write(&got, &again);
    assert_string_equal(text.text, again.text);
    plan_round_order(&got, &(struct plan_round){0, 0, NULL, 0}, &arena, &round);
    plan_check_order(&got, NULL, 0, &arena, &check);
    assert_string_equal(round.sim->episodes[0].throttle, "hw_slowdown");
    assert_ptr_equal(check.sim, round.sim);
    assert_null(round.sides[0].sim);
    assert_true(round.sides[1].sim->slower_pct == 5);
    assert_string_equal(check.sides[1].sim->slower_on, "scale/fp32/n64");
    assert_string_equal(got.gate.confirms_run_id, "20261121-000000-gate-0000");
    assert_int_equal(got.gate.earlier_run_count, 2);
    assert_int_equal(plan_result(&got, &result, &err), 0);
    plan_fini(&got); // the result owns its scripts
    assert_string_equal(result.sides[1].sim->slower_on, "scale/fp32/n64");
    result_fini(&result);
    arena_fini(&arena);
    strbuf_fini(&text);
    strbuf_fini(&again);
    plan_fini(&plan);
}

// A plan as it would be read again. wrong: what the message names; NULL: nothing is wrong.
static void expect_plan(const struct plan *plan, const char *wrong) {
    struct strbuf text = {0};
    struct plan got;
    struct err err = {0};
    json_t *root = NULL;
    plan_write(plan, &text);
    if (json_read_text(text.text, text.length, "test", &root, &err) < 0) fail_msg("%s", err.text);
    const int code = plan_parse(root, "test", &got, &err);
    if (wrong) {
        assert_int_equal(code, -ERR_DATA);
        if (!strstr(err.text, wrong)) fail_msg("'%s' is not about %s", err.text, wrong);
    } else {
        if (code < 0) fail_msg("%s", err.text);
        plan_fini(&got);
    }
    json_decref(root);
    strbuf_fini(&text);
}

// Plans that no gate could have made are refused: they would let anything pass.
static void test_gates_that_cannot_be(void **state) {
    (void)state;
    static const double bad_pct[] = {0, -200, 1e300, NAN};
    static const char *const bad_ids[] = {"", ".", "..", "../x", "a/b", "/etc", "-rf", "a b", "a\n"};
    struct plan plan;
    plan_make(&plan);
    expect_plan(&plan, NULL);
    for (size_t i = 0; i < sizeof bad_pct / sizeof *bad_pct; ++i) {
        plan.gate.spec.regression_pct = bad_pct[i];
        expect_plan(&plan, "regression_pct");
        plan.gate.spec.regression_pct = 3;
        plan.gate.spec.improvement_pct = bad_pct[i];
        expect_plan(&plan, "improvement_pct");
        plan.gate.spec.improvement_pct = 10;
    }
    plan.gate.spec.improvement_pct = 100; // no time at all
    expect_plan(&plan, "improvement_pct");
    plan.gate.spec.improvement_pct = 10;
    plan.gate.spec.regression_pct = 900; // a manifest may say so
    expect_plan(&plan, NULL);
    plan.gate.spec.regression_pct = 3;
    for (size_t i = 0; i < sizeof bad_ids / sizeof *bad_ids; ++i) {
        plan.gate.confirms_run_id = bad_ids[i];
        expect_plan(&plan, "confirms");
    }
    plan.gate.confirms_run_id = "20261121-120000-gate-12ab";
    expect_plan(&plan, NULL);
    plan.looks[0] = 4;
    expect_plan(&plan, "looks");
    plan.looks[0] = 5;
    plan.look_count = 3;
    expect_plan(&plan, "looks");
    plan.look_count = 1; // a fixed number ...
    expect_plan(&plan, "looks");
    plan.is_sequential = false; // ... is not sequential
    expect_plan(&plan, NULL);
    plan.looks[0] = 1;
    expect_plan(&plan, "looks");
    plan.gate.stored_baseline = "b.json";
    expect_plan(&plan, NULL);
    plan.gate.stored_baseline = NULL;
    plan.command = "bench"; // which has neither thresholds nor looks to decide at
    plan.gate.spec.regression_pct = NAN;
    expect_plan(&plan, NULL);
    plan_fini(&plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_whose_tolerance),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_document),
        cmocka_unit_test(test_gates_that_cannot_be),
        cmocka_unit_test(test_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
