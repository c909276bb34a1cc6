// SPDX-License-Identifier: Apache-2.0
//
// Every promise about unchanged kernels is broken by a mutant that is wrong in one way. Also: families whose
// problems share part of the variance between processes, as problems of one worker do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/mutants.h"

#define FAMILY_TRIALS (simulate_trials() / 10)

#define QUIET .sample_count = 20, .noise = {.kind = NOISE_LOGNORMAL, .cv = 0.01}
static const struct cell spread1 = {.name = "unchanged, spread 1", .process = 0.01, QUIET};
static const struct cell spread2 = {.name = "unchanged, spread 2", .process = 0.02, QUIET};
static const struct cell shared = {.name = "half of spread 2 shared", .process = 0.02, .shared = 0.5, QUIET};
// Beyond the table of promises, at a spread where the family-wise test matters.
static const struct cell spread20 = {.name = "unchanged, spread 20", .process = 0.20, QUIET};

static const struct promise accused1 = {.cell = &spread1, .verdict = VERDICT_REGRESSION, .rate = 0.001};
static const struct promise accused2 = {.cell = &spread2, .verdict = VERDICT_REGRESSION, .rate = 0.001};
static const struct promise any_of_27 = {
    .cell = &spread2, .verdict = VERDICT_REGRESSION, .rate = 0.02, .is_of_family = true};
static const struct promise any_of_27_shared = {
    .cell = &shared, .verdict = VERDICT_REGRESSION, .rate = 0.02, .is_of_family = true};
static const struct promise any_of_27_noisy = {
    .cell = &spread20, .verdict = VERDICT_REGRESSION, .rate = 0.02, .is_of_family = true};
static const struct promise accused20 = {.cell = &spread20, .verdict = VERDICT_REGRESSION, .rate = 0.001};
static const struct promise proved1 = {
    .cell = &spread1, .verdict = VERDICT_MAINTAINED, .rate = 0.995, .is_floor = true};
static const struct promise proved2 = {
    .cell = &spread2, .verdict = VERDICT_MAINTAINED, .rate = 0.985, .is_floor = true};

static void shared_offsets_accuse_no_more_families(void **state) {
    (void)state;
    struct rule rule = rule_real();
    assert_true(promise_check(&any_of_27_shared, &rule, FAMILY_TRIALS));
}

static void one_problem_is_accused_by_mutants(void **state) {
    (void)state;
    promise_breaks(&accused1, mutant_no_threshold(), SIMULATE_MUTANT_TRIALS);
    promise_breaks(&accused2, mutant_no_threshold(), SIMULATE_MUTANT_TRIALS);
    promise_breaks(&accused2, mutant_single_run(), SIMULATE_MUTANT_TRIALS);
}

static void a_family_is_accused_by_mutants(void **state) {
    (void)state;
    promise_breaks(&any_of_27, mutant_no_threshold(), SIMULATE_MUTANT_TRIALS / 10);
    promise_breaks(&any_of_27, mutant_single_run(), SIMULATE_MUTANT_TRIALS / 10);
}

static void a_noisy_family_is_accused_without_family_control(void **state) {
    (void)state;
    promise_breaks(&any_of_27_noisy, mutant_no_family(), SIMULATE_MUTANT_TRIALS / 5);
}

// A suite of one problem has the same promise as a suite of 27.
static void one_noisy_problem_alone_is_not_accused(void **state) {
    (void)state;
    struct rule alone = rule_real(), mutant = mutant_no_family();
    alone.options.family_count = 1;
    assert_true(promise_check(&accused20, &alone, simulate_trials() / 4));
    assert_false(promise_check(&accused20, &mutant, SIMULATE_MUTANT_TRIALS));
}

static void unchanged_is_not_proved_by_mutants(void **state) {
    (void)state;
    promise_breaks(&proved1, mutant_five_rounds(), SIMULATE_MUTANT_TRIALS);
    promise_breaks(&proved2, mutant_five_rounds(), SIMULATE_MUTANT_TRIALS);
    promise_breaks(&proved2, mutant_pooled(), SIMULATE_MUTANT_TRIALS / 10);
    promise_breaks(&proved2, mutant_no_threshold(), SIMULATE_MUTANT_TRIALS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_offsets_accuse_no_more_families),
        cmocka_unit_test(one_problem_is_accused_by_mutants),
        cmocka_unit_test(a_family_is_accused_by_mutants),
        cmocka_unit_test(a_noisy_family_is_accused_without_family_control),
        cmocka_unit_test(one_noisy_problem_alone_is_not_accused),
        cmocka_unit_test(unchanged_is_not_proved_by_mutants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
