// SPDX-License-Identifier: Apache-2.0
//
// The audit of a case, with known truth: the right result is never reported, tolerances that were made too
// wide are found, one that is too narrow too, and the rule that detects a wrong result is the one that must.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "worker/check/audit_case.h"

static struct device *device;

static int open_device(void **state) {
    (void)state;
    return device_open(&(struct device_request){.device = "cpu", .thread_count = 2}, &device, NULL);
}

static int close_device(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

static struct problem parsed(const char *name) {
    struct problem problem;
    struct err err;
    if (problem_parse(&operators_compiled, name, &problem, &err) < 0) fail_msg("%s", err.text);
    return problem;
}

static struct audit_case *opened(const struct problem *problem, const char *distribution) {
    struct audit_case *audit = mem_alloc(sizeof *audit);
    const struct audit_wanted wanted = {.device = device,
                                        .problem = problem,
                                        .distribution = distribution,
                                        .memory_layout = MEMORY_LAYOUT_PADDED,
                                        .seed = 42};
    struct err err;
    if (audit_case_open(audit, &wanted, &err) < 0) fail_msg("%s", err.text);
    return audit;
}

static void closed(struct audit_case *audit) {
    audit_case_close(audit);
    free(audit);
}

// What becomes of that mutant's output k.
static struct audit_result tried(struct audit_case *audit, const char *name, uint32_t k) {
    struct audit_result results[OP_TENSORS_MAX];
    struct err err;
    const struct mutant *mutant;
    for (size_t i = 0; (mutant = mutant_at(audit->buffers.problem.op, i)); ++i) {
        bool applies;
        if (strcmp(mutant->name, name) != 0) continue;
        if (audit_case_try(audit, mutant, results, &applies, &err) < 0) fail_msg("%s", err.text);
        assert_true(applies);
        assert_string_equal(results[k].mutant, name);
        return results[k];
    }
    fail_msg("no mutant %s", name);
    return (struct audit_result){0};
}

static enum audit_verdict verdict_of(const struct problem *problem, const char *distribution,
                                     const char *mutant) {
    struct audit_case *audit = opened(problem, distribution);
    const enum audit_verdict verdict = tried(audit, mutant, 0).verdict;
    closed(audit);
    return verdict;
}

// ---- what is right ----

static int give_right(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)at, (void)outputs, (void)err;
    return 0;
}

static void test_right_is_never_reported(void **state) {
    (void)state;
    static const struct mutant right = {"nothing", "", NULL, give_right};
    static const char *const names[] = {
        "attention/fp32/b1/h4/s65/d16/lse",
        "attention/fp16/b1/h4/s65/d16/causal/lse",
        "attention/bf16/b1/h2/s65/d16",
        "attention/fp8_e4m3/b1/h4/s65/d16/causal/lse",
        "attention/fp16/b1/h2/sq9/sk3/d16/causal_br/lse",
        "scale/fp16/n1000",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const struct problem problem = parsed(names[i]);
        for (const char *const *name = problem.op->distributions; *name; ++name) {
            struct audit_result results[OP_TENSORS_MAX];
            bool applies;
            if (problem_check_distribution(&problem, *name, NULL) < 0) continue;
            struct audit_case *audit = opened(&problem, *name);
            assert_int_equal(audit_case_try_right(audit, results, NULL), 0);
            for (uint32_t k = 0; k < audit->output_count; ++k)
                if (results[k].verdict != AUDIT_SAME) fail_msg("%s %s: refused", names[i], *name);
            assert_int_equal(audit_case_try(audit, &right, results, &applies, NULL), 0);
            for (uint32_t k = 0; k < audit->output_count; ++k)
                if (results[k].verdict != AUDIT_SAME || !applies) fail_msg("%s %s: wrong", names[i], *name);
            closed(audit);
        }
    }
}

// A mutant that changes nothing on these inputs is not counted: the same weights whatever the scale.
static void test_not_wrong(void **state) {
    (void)state;
    const struct problem problem = parsed("attention/fp16/b1/h2/s65/d16");
    assert_int_equal(verdict_of(&problem, "equal_scores", "scale_negated"), AUDIT_SAME);
    assert_int_equal(verdict_of(&problem, "normal", "scale_negated"), AUDIT_DETECTED);
}

// ---- tolerances with known faults ----

static double absolute, relative, fraction;

static struct op_tolerance made_tolerance(const struct problem *problem, const char *distribution,
                                          uint32_t tensor_index) {
    (void)distribution;
    (void)problem, (void)tensor_index;
    return (struct op_tolerance){
        .atol = absolute, .rtol = relative, .min_pass_fraction = fraction, .rel_l2_max = INFINITY};
}

static struct operator_def made_operator(const char *name) {
    struct operator_def op = *operator_find(&operators_compiled, name);
    op.tolerance = made_tolerance;
    absolute = relative = 1e-5;
    fraction = 1;
    return op;
}

static void test_wide_tolerances_are_found(void **state) {
    (void)state;
    const struct operator_def op = made_operator("attention");
    struct problem problem = parsed("attention/fp32/b1/h2/s65/d16");
    problem.op = &op;
    assert_int_equal(verdict_of(&problem, "normal", "zeros"), AUDIT_DETECTED);
    assert_int_equal(verdict_of(&problem, "normal", "rounded_inputs"), AUDIT_DETECTED);
    absolute = 1e-2; // of fp16 and more: half the precision of fp32 passes
    assert_int_equal(verdict_of(&problem, "normal", "rounded_inputs"), AUDIT_PASSED);
    assert_int_equal(verdict_of(&problem, "normal", "zeros"), AUDIT_DETECTED);
    absolute = 10; // anything passes
    struct audit_case *audit = opened(&problem, "normal");
    static const char *const all[] = {"zeros",    "stale",         "row_mean",          "uniform_weights",
                                      "key_lost", "key_tail_lost", "key_tail_unmasked", "last_row_stale"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        const struct audit_result result = tried(audit, all[i], 0);
        if (result.verdict != AUDIT_PASSED) fail_msg("%s: %s", all[i], audit_verdict_name(result.verdict));
        assert_int_equal(result.rule, AUDIT_RULE_NONE);
        assert_int_equal(result.failed_count, 0);
        assert_true(result.max_abs > 100 * result.right_max_abs && result.atol == 10);
    }
    closed(audit);
}

static void test_share_that_may_fail(void **state) {
    (void)state;
    const struct operator_def op = made_operator("attention");
    struct problem problem = parsed("attention/fp32/b1/h2/s65/d16");
    problem.op = &op;
    assert_int_equal(verdict_of(&problem, "normal", "one_row_stale"), AUDIT_DETECTED);
    fraction = 0.99; // one row of 130 is 0.8 %
    assert_int_equal(verdict_of(&problem, "normal", "one_row_stale"), AUDIT_PASSED);
    assert_int_equal(verdict_of(&problem, "normal", "zeros"), AUDIT_DETECTED);
}

static void test_narrow_tolerance_is_found(void **state) {
    (void)state;
    const struct operator_def op = made_operator("scale");
    struct problem problem = parsed("scale/fp16/n1000/a0.3");
    struct audit_result results[OP_TENSORS_MAX];
    problem.op = &op;
    for (int step = 0; step < 2; ++step) {
        absolute = 1e-6, relative = step ? 1e-4 : 1e-3;
        struct audit_case *audit = opened(&problem, "normal");
        assert_int_equal(audit_case_try_right(audit, results, NULL), 0);
        assert_int_equal(results[0].verdict, step ? AUDIT_REFUSED : AUDIT_SAME);
        assert_string_equal(results[0].mutant, AUDIT_RIGHT);
        closed(audit);
    }
}

// ---- the rule that detects ----

static void test_rules(void **state) {
    (void)state;
    static const struct {
        const char *problem, *distribution, *mutant;
        enum audit_rule rule;
    } cases[] = {
        {"attention/fp32/b1/h4/s65/d16", "nan", "zeros", AUDIT_RULE_NOT_A_NUMBER},
        {"attention/fp32/b1/h4/s65/d16", "normal", "zeros", AUDIT_RULE_ELEMENTS},
        {"attention/fp16/b1/h1/s512/d64", "normal", "rounded_outputs", AUDIT_RULE_TWO_X},
        {"attention/fp16/b1/h2/s129/d64/causal", "normal", "mask_one_more", AUDIT_RULE_ELEMENTS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct problem problem = parsed(cases[i].problem);
        struct audit_case *audit = opened(&problem, cases[i].distribution);
        const struct audit_result result = tried(audit, cases[i].mutant, 0);
        assert_int_equal(result.verdict, AUDIT_DETECTED);
        if (result.rule != cases[i].rule)
            fail_msg("%s: %s by %s", cases[i].problem, cases[i].mutant, audit_rule_name(result.rule));
        closed(audit);
    }
}

// A key of which nothing is left beside the sinks: a right kernel of fp16 is off by more.
static void test_hidden(void **state) {
    (void)state;
    const struct problem problem = parsed("attention/fp16/b1/h2/s257/d64/causal");
    assert_int_equal(verdict_of(&problem, "sink", "last_key_lost"), AUDIT_HIDDEN);
    assert_int_equal(verdict_of(&problem, "equal_scores", "last_key_lost"), AUDIT_DETECTED);
}

// A row of a large fp8 problem that was never written: less than the share that may fail.
static void test_row_of_many(void **state) {
    (void)state;
    const struct problem problem = parsed("attention/fp8_e4m3/b8/h16/sq448/sk448/d16");
    struct audit_case *audit = opened(&problem, "normal");
    const struct audit_result result = tried(audit, "one_row_stale", 0);
    assert_true((double)result.failed_count < (1 - result.min_pass_fraction) * (double)result.element_count);
    assert_int_equal(result.verdict, AUDIT_DETECTED);
    assert_int_equal(result.rule, AUDIT_RULE_ELEMENTS);
    closed(audit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_is_never_reported),
        cmocka_unit_test(test_not_wrong),
        cmocka_unit_test(test_wide_tolerances_are_found),
        cmocka_unit_test(test_share_that_may_fail),
        cmocka_unit_test(test_narrow_tolerance_is_found),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_row_of_many),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
