// SPDX-License-Identifier: Apache-2.0
//
// Checks of the simulation itself: drawing a median directly against drawing every sample, the noise models
// against their parameters, and applying the rule once against applying it at every look.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stats/float_order.h"
#include "stats/simulate.h"

#define DRAWS 40000

// Largest distance between two empirical distributions of DRAWS values each, both sorted.
static double distance_between(const double *a, const double *b) {
    double most = 0;
    for (size_t i = 0, j = 0; i < DRAWS && j < DRAWS;) {
        if (a[i] <= b[j])
            ++i;
        else
            ++j;
        most = fmax(most, fabs((double)i - (double)j) / DRAWS);
    }
    return most;
}

static void medians_are_drawn_as_they_fall(void **state) {
    (void)state;
    static double drawn[DRAWS], all[DRAWS];
    static const struct {
        size_t count;
        double cv;
    } cases[] = {{1, 0.01},  {2, 0.12},  {5, 0.07},   {20, 0.01},
                 {21, 0.01}, {50, 0.04}, {100, 0.07}, {100, 0.12}};
    // Kolmogorov-Smirnov at 0.001: 1.95 sqrt(2 / DRAWS).
    double limit = 1.95 * sqrt(2.0 / DRAWS), worst = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        uint64_t stream = rng_stream("medians") + 10 * k;
        for (size_t i = 0; i < DRAWS; ++i) {
            drawn[i] = median_drawn(cases[k].count, cases[k].cv, stream, i);
            all[i] = median_of_all(cases[k].count, cases[k].cv, stream + 1, i);
        }
        float_order_sort(drawn, DRAWS);
        float_order_sort(all, DRAWS);
        double distance = distance_between(drawn, all);
        worst = fmax(worst, distance);
        assert_true(distance < limit);
    }
    // The comparison is sensitive enough to tell a median of 24 samples from one of 20.
    for (size_t i = 0; i < DRAWS; ++i) drawn[i] = median_drawn(24, 0.01, 1, i);
    for (size_t i = 0; i < DRAWS; ++i) all[i] = median_of_all(20, 0.01, 2, i);
    float_order_sort(drawn, DRAWS);
    float_order_sort(all, DRAWS);
    printf("  distance at most %.4f, limit %.4f, of a wrong count %.4f\n", worst, limit,
           distance_between(drawn, all));
    assert_true(distance_between(drawn, all) > limit);
}

static void pair_medians_are_drawn_as_they_fall(void **state) {
    (void)state;
    static double drawn[DRAWS], all[DRAWS];
    static const size_t counts[] = {1, 2, 5, 20, 21, 100};
    const double limit = 1.95 * sqrt(2.0 / DRAWS);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        uint64_t stream = rng_stream("pair medians") + 10 * k;
        for (size_t i = 0; i < DRAWS; ++i) {
            drawn[i] = pair_median_drawn(counts[k], 0.07, stream, i);
            all[i] = pair_median_of_all(counts[k], 0.07, stream + 1, i);
        }
        float_order_sort(drawn, DRAWS);
        float_order_sort(all, DRAWS);
        assert_true(distance_between(drawn, all) < limit);
    }
}

struct spread {
    double mean, sd;
};

// The spread of d_r over the rounds of one cell.
static struct spread spread_of(const struct cell *cell, size_t trials) {
    static struct trial trial;
    double sum = 0, square_sum = 0;
    for (size_t t = 0; t < trials; ++t) {
        trial_start(&trial, cell, t, false);
        trial_extend(&trial, 1);
        double ratio = trial.log_ratios[0];
        sum += ratio;
        square_sum += ratio * ratio;
    }
    double mean = sum / (double)trials;
    return (struct spread){mean, sqrt(square_sum / (double)trials - mean * mean)};
}

static void hold_near(const char *what, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_msg("%s is %g, wanted %g", what, got, want);
}

static void rounds_spread_as_the_cell_says(void **state) {
    (void)state;
    const size_t trials = 20000;
    struct cell cell = {
        .name = "spread", .process = 0.02, .sample_count = 1, .noise = {.kind = NOISE_LOGNORMAL, .cv = 0.01}};
    hold_near("mean", spread_of(&cell, trials).mean, 0, 0.0006);
    hold_near("sd", spread_of(&cell, trials).sd, sqrt(0.02 * 0.02 + 2 * 0.01 * 0.01), 0.0004);
    cell.change = 0.05;
    hold_near("mean of a slower one", spread_of(&cell, trials).mean, log1p(0.05), 0.0006);
    cell.shared = 0.5; // shared or not, one problem has the same spread; families count as one draw
    cell.change = 0;
    hold_near("sd, half shared", spread_of(&cell, 5 * trials).sd, sqrt(0.02 * 0.02 + 2 * 0.01 * 0.01),
              0.0006);
}

// One sample a side shows the model's effect on single times; all samples show its effect on medians.
static void noise_models_are_what_they_are_named(void **state) {
    (void)state;
    const size_t trials = 4000;
    struct cell cell = {.name = "models", .sample_count = 20, .noise = {.kind = NOISE_AR1, .cv = 0.01}};
    double independent = spread_of(&cell, trials).sd;
    cell.noise.phi = 0.9; // medians of autocorrelated samples average out less
    assert_true(spread_of(&cell, trials).sd > 2 * independent);
    cell.noise = (struct noise){.kind = NOISE_MODES_ROUND, .cv = 0.01, .gap = 0.06};
    hold_near("two kinds of rounds", spread_of(&cell, trials).sd, log1p(0.06) / sqrt(2), 0.003);
    cell.noise = (struct noise){.kind = NOISE_MODES_STICKY, .cv = 0.01, .gap = 0.06, .dwell = 1e6};
    cell.noise = (struct noise){.kind = NOISE_MODES_EITHER, .cv = 0.01, .gap = 0.06};
    hold_near("one side slow", spread_of(&cell, trials).sd, log1p(0.06), 0.003);
    cell.noise = (struct noise){.kind = NOISE_MODES_STICKY, .cv = 0.01, .gap = 0.06, .dwell = 1e6};
    hold_near("a clock that both sides share", spread_of(&cell, trials).sd, independent, 0.001);
    cell.noise = (struct noise){.kind = NOISE_MODES_MIXED, .cv = 0.01, .gap = 0.06};
    assert_true(spread_of(&cell, trials).sd < 0.015); // most pairs have one of each, or two alike
    cell.noise = (struct noise){.kind = NOISE_HEAVY_TAIL, .cv = 0.01};
    double tailed = spread_of(&cell, trials).sd;
    assert_true(tailed < 1.5 * independent); // medians are hardly affected
    cell.sample_count = 1;
    assert_true(spread_of(&cell, trials).sd > 2 * 0.01 * sqrt(2));
}

static void asking_at_every_look_gives_the_same_answer(void **state) {
    (void)state;
    static struct trial trial;
    struct rule rule = rule_real();
    const struct cell cell = {.name = "every look",
                              .change = 0.03,
                              .process = 0.02,
                              .sample_count = 20,
                              .noise = {.kind = NOISE_LOGNORMAL, .cv = 0.01}};
    for (uint64_t t = 0; t < 1000; ++t) {
        enum verdict verdict = VERDICT_NONE;
        trial_start(&trial, &cell, t, false);
        for (size_t count = ROUNDS_LOOK_STEP; count <= ROUNDS_MAX && verdict == VERDICT_NONE;
             count += ROUNDS_LOOK_STEP) {
            struct rounds_options options = rule.options;
            options.is_final = count == ROUNDS_MAX;
            trial_extend(&trial, count);
            verdict = trial_find(&trial, count, &options);
        }
        assert_int_equal(verdict, rule_run(&rule, &cell, t));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_are_drawn_as_they_fall),
        cmocka_unit_test(pair_medians_are_drawn_as_they_fall),
        cmocka_unit_test(rounds_spread_as_the_cell_says),
        cmocka_unit_test(noise_models_are_what_they_are_named),
        cmocka_unit_test(asking_at_every_look_gives_the_same_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
