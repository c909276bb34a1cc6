// SPDX-License-Identifier: Apache-2.0
//
// Positive is slower: a candidate that takes 10 % less time is never a regression, one that takes 10 % more
// never an improvement, under either rule. A rule with exchanged sides fails at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/mutants.h"
#include "verdict/classic/classic.h"

#define RATE 1e-6 // stands for never: the trials cannot show less

static const struct noise quiet = {.kind = NOISE_LOGNORMAL, .cv = 0.01};

static struct cell cell_of(const char *name, double change, double process) {
    return (struct cell){
        .name = name, .change = change, .process = process, .sample_count = 20, .noise = quiet};
}

static void rounds_hold_the_sign(void **state) {
    (void)state;
    static const double processes[] = {0.01, 0.02};
    for (size_t i = 0; i < 2; ++i) {
        struct cell faster = cell_of("10 % faster", -0.1, processes[i]);
        struct cell slower = cell_of("10 % slower", 0.1, processes[i]);
        struct promise faster_accused = {.cell = &faster, .verdict = VERDICT_REGRESSION, .rate = RATE};
        struct promise slower_praised = {.cell = &slower, .verdict = VERDICT_IMPROVEMENT, .rate = RATE};
        struct promise slower_accused = {
            .cell = &slower, .verdict = VERDICT_REGRESSION, .rate = 0.999, .is_floor = true};
        promises_keep(&faster_accused, 1, simulate_trials());
        promises_keep((struct promise[]){slower_praised, slower_accused}, 2, simulate_trials());
        promise_breaks(&faster_accused, mutant_swapped(), SIMULATE_MUTANT_TRIALS);
        promise_breaks(&slower_accused, mutant_swapped(), SIMULATE_MUTANT_TRIALS);
    }
    struct cell much_slower = cell_of("15 % slower", 0.15, 0.01);
    struct promise praised = {.cell = &much_slower, .verdict = VERDICT_IMPROVEMENT, .rate = RATE};
    promise_breaks(&praised, mutant_swapped(), SIMULATE_MUTANT_TRIALS);
}

static enum verdict classic_of(const struct cell *cell, uint64_t index) {
    static struct trial trial;
    struct arena arena = {0};
    struct err err = {0};
    struct decision_case judged = {0};
    struct classic_options options = classic_options_default();
    trial_start(&trial, cell, index, true);
    trial_extend(&trial, 1);
    struct classic_sets sets = {.base_ns = trial.base_samples[0],
                                .cand_ns = trial.cand_samples[0],
                                .base_count = cell->sample_count,
                                .cand_count = cell->sample_count};
    assert_int_equal(classic_judge(&sets, &options, &arena, &judged, &err), 0);
    assert_true((judged.change_pct > 0) == (cell->change > 0));
    assert_true((judged.cliffs_delta > 0) == (cell->change > 0));
    arena_fini(&arena);
    return judged.unguarded_verdict;
}

static void the_classic_rule_holds_the_sign(void **state) {
    (void)state;
    struct cell faster = cell_of("10 % faster", -0.1, 0), slower = cell_of("10 % slower", 0.1, 0);
    for (uint64_t t = 0; t < SIMULATE_MUTANT_TRIALS; ++t) {
        assert_int_not_equal(classic_of(&faster, t), VERDICT_REGRESSION);
        assert_int_equal(classic_of(&slower, t), VERDICT_REGRESSION);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_hold_the_sign),
        cmocka_unit_test(the_classic_rule_holds_the_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
