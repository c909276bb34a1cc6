// SPDX-License-Identifier: Apache-2.0
//
// Power: slowdowns of 5 and 4 % are detected, one of exactly 3 % is rarely called maintained, one of 2 %
// rarely a regression, and a gain of 9 % is not accepted for one of 10 %. Also: the mutants that fail this.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/mutants.h"

#define QUIET .sample_count = 20, .noise = {.kind = NOISE_LOGNORMAL, .cv = 0.01}
#define NOISY .sample_count = 100, .noise = {.kind = NOISE_LOGNORMAL, .cv = 0.07}

static const struct cell slower5[] = {
    {.name = "5 % slower, CV 1, spread 1", .change = 0.05, .process = 0.01, QUIET},
    {.name = "5 % slower, CV 1, spread 2", .change = 0.05, .process = 0.02, QUIET},
    {.name = "5 % slower, CV 7, spread 1", .change = 0.05, .process = 0.01, NOISY},
    {.name = "5 % slower, CV 7, spread 2", .change = 0.05, .process = 0.02, NOISY},
};
static const struct cell slower4[] = {
    {.name = "4 % slower, CV 1, spread 1", .change = 0.04, .process = 0.01, QUIET},
    {.name = "4 % slower, CV 7, spread 1", .change = 0.04, .process = 0.01, NOISY},
};
static const struct cell slower3[] = {
    {.name = "3 % slower, CV 1, spread 1", .change = 0.03, .process = 0.01, QUIET},
    {.name = "3 % slower, CV 1, spread 2", .change = 0.03, .process = 0.02, QUIET},
    {.name = "3 % slower, CV 7, spread 1", .change = 0.03, .process = 0.01, NOISY},
    {.name = "3 % slower, CV 7, spread 2", .change = 0.03, .process = 0.02, NOISY},
};

static const struct cell slower2[] = {
    {.name = "2 % slower, CV 1, spread 1", .change = 0.02, .process = 0.01, QUIET},
    {.name = "2 % slower, CV 1, spread 2", .change = 0.02, .process = 0.02, QUIET},
};
static const struct cell faster9[] = {
    {.name = "9 % faster, CV 1, spread 1", .change = -0.09, .process = 0.01, QUIET},
    {.name = "9 % faster, CV 1, spread 2", .change = -0.09, .process = 0.02, QUIET},
    {.name = "9 % faster, some late",
     .change = -0.09,
     .process = 0.02,
     .process_noise = PROCESS_LATE_CAND,
     QUIET},
};

#define CAUGHT(of, at)                                                                                       \
    { .cell = &(of), .verdict = VERDICT_REGRESSION, .rate = (at), .is_floor = true }
#define MAINTAINED(of, at)                                                                                   \
    { .cell = &(of), .verdict = VERDICT_MAINTAINED, .rate = (at) }
static const struct promise caught5[] = {CAUGHT(slower5[0], 0.999), CAUGHT(slower5[1], 0.995),
                                         CAUGHT(slower5[2], 0.999), CAUGHT(slower5[3], 0.99)};
static const struct promise caught4[] = {CAUGHT(slower4[0], 0.995), CAUGHT(slower4[1], 0.98)};
static const struct promise maintained3[] = {MAINTAINED(slower3[0], 0.06), MAINTAINED(slower3[1], 0.06),
                                             MAINTAINED(slower3[2], 0.06), MAINTAINED(slower3[3], 0.06)};

static const struct promise called2[] = {
    {.cell = &slower2[0], .verdict = VERDICT_REGRESSION, .rate = 0.005},
    {.cell = &slower2[1], .verdict = VERDICT_REGRESSION, .rate = 0.01},
};
// Any of 27 problems may carry the claim of `--expect improvement`.
static const struct promise accepted9[] = {
    {.cell = &faster9[0], .verdict = VERDICT_IMPROVEMENT, .rate = 0.01, .is_of_family = true},
    {.cell = &faster9[1], .verdict = VERDICT_IMPROVEMENT, .rate = 0.02, .is_of_family = true},
    {.cell = &faster9[2], .verdict = VERDICT_IMPROVEMENT, .rate = 0.03, .is_of_family = true},
};

static void five_per_cent_is_caught(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; ++i) promises_keep(&caught5[i], 1, simulate_trials());
}

static void four_per_cent_is_caught(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; ++i) promises_keep(&caught4[i], 1, simulate_trials());
}

static void three_per_cent_is_rarely_called_maintained(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; ++i) promises_keep(&maintained3[i], 1, simulate_trials());
}

// The same with one more look, after three rounds.
static void a_look_at_three_keeps_the_rates(void **state) {
    (void)state;
    struct rule early = rule_real();
    early.options.looks_at_three = true;
    early.name = "looks at three";
    for (size_t i = 0; i < 2; ++i) {
        assert_true(promise_check(&maintained3[i], &early, simulate_trials()));
        assert_true(promise_check(&caught5[i], &early, simulate_trials()));
    }
    assert_true(promise_check(&called2[0], &early, simulate_trials()));
}

static void two_per_cent_is_rarely_called_a_regression(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; ++i) promises_keep(&called2[i], 1, simulate_trials());
    promise_breaks(&called2[1], mutant_estimate(), SIMULATE_MUTANT_TRIALS);
    promise_breaks(&called2[0], mutant_no_threshold(), SIMULATE_MUTANT_TRIALS);
}

static struct rule expecting(struct rule rule) {
    rule.options.spec.expects_improvement = true;
    return rule;
}

static void nine_per_cent_faster_is_not_accepted_for_ten(void **state) {
    (void)state;
    const struct rule real = expecting(rule_real()), own_claims = expecting(mutant_own_claims()),
                      estimate = expecting(mutant_estimate());
    const struct rule by_estimate = expecting(mutant_gain_by_estimate());
    for (size_t i = 0; i < 3; ++i) {
        assert_true(promise_check(&accepted9[i], &real, simulate_trials() / 10));
        if (i < 2) assert_false(promise_check(&accepted9[i], &estimate, SIMULATE_MUTANT_TRIALS));
    }
    assert_false(promise_check(&accepted9[2], &by_estimate, SIMULATE_MUTANT_TRIALS / 10));
    assert_false(promise_check(&accepted9[1], &own_claims, SIMULATE_MUTANT_TRIALS / 5));
}

static void five_per_cent_is_missed_by_mutants(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; ++i) {
        promise_breaks(&caught5[i], mutant_swapped(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&caught5[i], mutant_five_rounds(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&caught5[i], mutant_accepting(), SIMULATE_MUTANT_TRIALS);
    }
    promise_breaks(&caught5[1], mutant_pooled(), SIMULATE_MUTANT_TRIALS / 5);
}

static void four_per_cent_is_missed_by_mutants(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        promise_breaks(&caught4[i], mutant_swapped(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&caught4[i], mutant_five_rounds(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&caught4[i], mutant_loose(), SIMULATE_MUTANT_TRIALS);
    }
}

static void three_per_cent_is_called_maintained_by_mutants(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; ++i) {
        promise_breaks(&maintained3[i], mutant_level_5pct(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&maintained3[i], mutant_percentile(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&maintained3[i], mutant_accepting(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&maintained3[i], mutant_swapped(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&maintained3[i], mutant_loose(), SIMULATE_MUTANT_TRIALS);
    }
    promise_breaks(&maintained3[0], mutant_pooled(), SIMULATE_MUTANT_TRIALS / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_per_cent_is_caught),
        cmocka_unit_test(four_per_cent_is_caught),
        cmocka_unit_test(three_per_cent_is_rarely_called_maintained),
        cmocka_unit_test(a_look_at_three_keeps_the_rates),
        cmocka_unit_test(two_per_cent_is_rarely_called_a_regression),
        cmocka_unit_test(nine_per_cent_faster_is_not_accepted_for_ten),
        cmocka_unit_test(five_per_cent_is_missed_by_mutants),
        cmocka_unit_test(four_per_cent_is_missed_by_mutants),
        cmocka_unit_test(three_per_cent_is_called_maintained_by_mutants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
