// SPDX-License-Identifier: Apache-2.0
//
// The promises about change points (docs/statistics.md) on drawn series, each held against the 99.9 %
// binomial bound of its rate, and mutants that break them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stats/binomial.h"
#include "stats/change_point.h"
#include "stats/simulate.h"

#define LENGTH_MAX 1000
#define NEVER      SIZE_MAX
#define NEAR       2 // places
#define SD         0.01
#define RUN_LENGTH 5 // equal values in a row, where medians are repeated

enum series_noise { SERIES_NORMAL, SERIES_STUDENT_3, SERIES_SPIKES, SERIES_AR1, SERIES_REPEATED };

struct series_cell {
    const char *name;
    enum series_noise noise;
    double phi;
    size_t count, from, until; // of the step; until NEVER: it stays
    double step;               // in standard deviations, as the drift over the whole series
    double drift;
    bool has_errors; // the standard error of each value is known
    // Looked at with so many values, and again after each one more, until all are there; 0: once, with all.
    size_t looks_from;
};

// What is counted.
enum series_event { EVENT_ANY, EVENT_EXACT, EVENT_NEAR, EVENT_BOTH_NEAR, EVENT_COVERED, EVENT_UP };

struct series_promise {
    struct series_cell cell;
    enum series_event event;
    bool is_floor;
    double rate;
};

// ---- drawing ----

static double draw(const struct series_cell *cell, uint64_t trial, size_t i, double before) {
    const uint64_t stream = rng_stream(cell->name);
    const double normal = rng_normal(trial, stream, i);
    double squares = 0.0;
    switch (cell->noise) {
    case SERIES_NORMAL: break;
    case SERIES_STUDENT_3:
        for (uint64_t k = 1; k <= 3; ++k) squares += pow(rng_normal(trial, stream + k, i), 2.0);
        return normal / sqrt(squares / 3.0);
    case SERIES_SPIKES:
        if (rng_uniform(trial, stream + 1, i) < 0.05)
            return normal + 20.0 * rng_uniform(trial, stream + 2, i);
        break;
    case SERIES_AR1: return i ? cell->phi * before + sqrt(1.0 - cell->phi * cell->phi) * normal : normal;
    case SERIES_REPEATED: return rng_normal(trial, stream, i / RUN_LENGTH);
    }
    return normal;
}

static void draw_series(const struct series_cell *cell, uint64_t trial, double *values) {
    double last = 0.0;
    for (size_t i = 0; i < cell->count; ++i) {
        last = draw(cell, trial, i, last);
        const double step = i >= cell->from && i < cell->until ? cell->step : 0.0;
        values[i] = SD * (last + step + cell->drift * (double)i / (double)cell->count);
    }
}

// ---- the rule, and what is wrong with its mutants ----

struct series_rule {
    struct change_point_options options;
    bool is_blind, is_backwards; // mutants: without the standard errors; with time running backwards
};

// Changes of any size count here, so that nothing hides behind the smallest one that is reported.
static struct series_rule rule_of_project(void) {
    struct series_rule rule = {.options = change_point_options_default()};
    rule.options.min_change = 0.0;
    return rule;
}

static const struct change_point *find_near(const struct change_points *points, size_t place, size_t most) {
    for (size_t i = 0; i < points->count; ++i)
        if (points->points[i].after + most >= place && points->points[i].after <= place + most)
            return &points->points[i];
    return NULL;
}

static bool happened(enum series_event event, const struct series_cell *cell,
                     const struct change_points *points) {
    const struct change_point *near = find_near(points, cell->from, NEAR);
    switch (event) {
    case EVENT_ANY: return points->count > 0;
    case EVENT_EXACT: return find_near(points, cell->from, 0) != NULL;
    case EVENT_NEAR: return near != NULL;
    case EVENT_BOTH_NEAR: return near && find_near(points, cell->until, NEAR) && points->count == 2;
    case EVENT_COVERED:
        return near && near->interval.lo <= SD * cell->step && near->interval.hi >= SD * cell->step;
    case EVENT_UP: return near && near->log_change > 0;
    }
    return false;
}

static bool look_has(const struct series_promise *promise, const struct series_rule *rule,
                     const struct change_series *series) {
    struct change_points points;
    assert_int_equal(change_points_find(series, &rule->options, &points), 0);
    const bool ret = happened(promise->event, &promise->cell, &points);
    change_points_free(&points);
    return ret;
}

static bool trial_has(const struct series_promise *promise, const struct series_rule *rule, uint64_t trial) {
    const struct series_cell *cell = &promise->cell;
    double values[LENGTH_MAX], errors[LENGTH_MAX];
    draw_series(cell, trial, values);
    for (size_t i = 0; i < cell->count; ++i) errors[i] = SD;
    for (size_t i = 0; rule->is_backwards && i < cell->count / 2; ++i) {
        const double other = values[i];
        values[i] = values[cell->count - 1 - i];
        values[cell->count - 1 - i] = other;
    }
    const bool has_errors = cell->has_errors && !rule->is_blind;
    const size_t first = cell->looks_from ? cell->looks_from : cell->count;
    for (size_t count = first; count <= cell->count; ++count)
        if (look_has(promise, rule, &(struct change_series){values, has_errors ? errors : NULL, count}))
            return true;
    return false;
}

static bool keeps(const struct series_promise *promise, const struct series_rule *rule, size_t trials) {
    size_t events = 0;
    for (uint64_t trial = 0; trial < trials; ++trial) events += trial_has(promise, rule, trial);
    const struct binomial_tail tail = binomial_tail(trials, promise->rate, events);
    printf("%-28s %6zu of %zu, promised %s %g\n", promise->cell.name, events, trials,
           promise->is_floor ? "at least" : "at most", promise->rate);
    return (promise->is_floor ? tail.below + tail.at : tail.at_least) > SIMULATE_DOUBT;
}

static void keep_all(const struct series_promise *promises, size_t count) {
    const struct series_rule rule = rule_of_project();
    for (size_t i = 0; i < count; ++i) {
        const bool is_long = promises[i].cell.count > 200 || promises[i].cell.looks_from;
        const size_t trials = simulate_trials() / (is_long ? 20 : 4);
        assert_true(keeps(&promises[i], &rule, trials));
    }
}
#define KEEP_ALL(promises) keep_all(promises, sizeof(promises) / sizeof *(promises))

// The mutant breaks it and the project keeps it, in the same trials.
static void breaks(const struct series_promise *promise, struct series_rule mutant, size_t trials) {
    const struct series_rule rule = rule_of_project();
    assert_true(keeps(promise, &rule, trials));
    assert_false(keeps(promise, &mutant, trials));
}

// ---- the promises ----

#define UNCHANGED(n)      .count = (n), .from = NEVER, .until = NEVER
#define STEP(n, at, size) .count = (n), .from = (at), .until = NEVER, .step = (size)

static const struct series_promise any_of_100 = {{"normal, 100", UNCHANGED(100)}, EVENT_ANY, false, 0.01};

static void unchanged_series(void **state) {
    (void)state;
    const struct series_promise promises[] = {
        {{"normal, 10", UNCHANGED(10)}, EVENT_ANY, false, 0.01},
        {{"normal, 30", UNCHANGED(30)}, EVENT_ANY, false, 0.01},
        any_of_100,
        {{"normal, 200", UNCHANGED(200)}, EVENT_ANY, false, 0.01},
        {{"normal, 1000", UNCHANGED(1000)}, EVENT_ANY, false, 0.01},
        {{"Student's t of 3, 100", SERIES_STUDENT_3, UNCHANGED(100)}, EVENT_ANY, false, 0.01},
        {{"one in 20 is late, 100", SERIES_SPIKES, UNCHANGED(100)}, EVENT_ANY, false, 0.015},
    };
    KEEP_ALL(promises);
}

static void unchanged_series_that_remember(void **state) {
    (void)state;
    const struct series_promise promises[] = {
        {{"AR(1) 0.3, 100", SERIES_AR1, .phi = 0.3, UNCHANGED(100)}, EVENT_ANY, false, 0.02},
        {{"AR(1) 0.5, 100", SERIES_AR1, .phi = 0.5, UNCHANGED(100)}, EVENT_ANY, false, 0.02},
        {{"AR(1) 0.8, 100", SERIES_AR1, .phi = 0.8, UNCHANGED(100)}, EVENT_ANY, false, 0.03},
        {{"AR(1) 0.5, 300", SERIES_AR1, .phi = 0.5, UNCHANGED(300)}, EVENT_ANY, false, 0.02},
        {{"AR(1) 0.5, 12", SERIES_AR1, .phi = 0.5, UNCHANGED(12)}, EVENT_ANY, false, 0.02},
        {{"AR(1) 0.5, 20", SERIES_AR1, .phi = 0.5, UNCHANGED(20)}, EVENT_ANY, false, 0.02},
        {{"AR(1) 0.5, 30", SERIES_AR1, .phi = 0.5, UNCHANGED(30)}, EVENT_ANY, false, 0.02},
    };
    KEEP_ALL(promises);
}

// Whoever looks after each commit has a hundred chances to see a change that is none.
#define EVER(length) UNCHANGED(length), .looks_from = 10

static const struct series_promise ever_normal = {{"normal, ever", EVER(100)}, EVENT_ANY, false, 0.01};

static void looked_at_after_each_commit(void **state) {
    (void)state;
    const struct series_promise promises[] = {
        ever_normal,
        {{"AR(1) 0.3, ever", SERIES_AR1, .phi = 0.3, EVER(100)}, EVENT_ANY, false, 0.05},
        {{"AR(1) 0.5, ever", SERIES_AR1, .phi = 0.5, EVER(100)}, EVENT_ANY, false, 0.09},
        {{"3 sd, within 5 commits", STEP(55, 50, 3), .looks_from = 51}, EVENT_NEAR, true, 0.75},
        {{"3 sd, within 10 commits", STEP(60, 50, 3), .looks_from = 51}, EVENT_NEAR, true, 0.98},
        {{"5 sd, within 3 commits", STEP(53, 50, 5), .looks_from = 51}, EVENT_NEAR, true, 0.9},
    };
    KEEP_ALL(promises);
}

static void steps_are_found(void **state) {
    (void)state;
    const struct series_promise promises[] = {
        {{"1.5 sd at 50 of 100", STEP(100, 50, 1.5)}, EVENT_ANY, true, 0.975},
        {{"2 sd at 50 of 100", STEP(100, 50, 2)}, EVENT_NEAR, true, 0.88},
        {{"3 sd at 50 of 100", STEP(100, 50, 3)}, EVENT_NEAR, true, 0.98},
        {{"3 sd at 50 of 100", STEP(100, 50, 3)}, EVENT_EXACT, true, 0.82},
        {{"3 sd at 50 of 100", STEP(100, 50, 3)}, EVENT_COVERED, true, 0.92},
        {{"5 sd at 50 of 100", STEP(100, 50, 5)}, EVENT_EXACT, true, 0.97},
        {{"3 sd at 500 of 1000", STEP(1000, 500, 3)}, EVENT_NEAR, true, 0.97},
        {{"5 sd, 3 values after it", STEP(100, 97, 5)}, EVENT_NEAR, true, 0.9},
        {{"3 sd, 5 values after it", STEP(100, 95, 3)}, EVENT_NEAR, true, 0.8},
        {{"3 sd, 10 values after it", STEP(100, 90, 3)}, EVENT_NEAR, true, 0.97},
        {{"t of 3, 3 sd at 50 of 100", SERIES_STUDENT_3, STEP(100, 50, 3)}, EVENT_NEAR, true, 0.91},
        {{"late ones, 3 sd at 50", SERIES_SPIKES, STEP(100, 50, 3)}, EVENT_NEAR, true, 0.93},
        {{"AR(1) 0.5, 5 sd at 50", SERIES_AR1, .phi = 0.5, STEP(100, 50, 5)}, EVENT_NEAR, true, 0.97},
    };
    KEEP_ALL(promises);
}

static const struct series_promise taken_back = {
    {"3 sd from 50 to 60", .count = 100, .from = 50, .until = 60, .step = 3}, EVENT_BOTH_NEAR, true, 0.95};
static const struct series_promise two_values = {
    {"two values 10 sd off", .count = 100, .from = 50, .until = 52, .step = 10}, EVENT_ANY, false, 0.01};
static const struct series_promise repeated = {
    {"each median five times", SERIES_REPEATED, UNCHANGED(100), .has_errors = true}, EVENT_ANY, false, 0.01};

static void two_changes_and_spikes(void **state) {
    (void)state;
    const struct series_promise promises[] = {
        taken_back,
        {{"5 sd from 50 to 55", .count = 100, .from = 50, .until = 55, .step = 5},
         EVENT_BOTH_NEAR,
         true,
         0.97},
        {{"one value 50 sd off", .count = 100, .from = 50, .until = 51, .step = 50}, EVENT_ANY, false, 0.01},
        two_values,
        {{"the last two 50 sd off", .count = 100, .from = 98, .until = NEVER, .step = 50},
         EVENT_ANY,
         false,
         0.01},
        repeated,
    };
    KEEP_ALL(promises);
}

// What is not promised: a drift is reported as steps.
static void a_drift_is_taken_for_steps(void **state) {
    (void)state;
    const struct series_promise promises[] = {
        {{"drift of 3 sd", UNCHANGED(100), .drift = 3}, EVENT_ANY, true, 0.95},
    };
    KEEP_ALL(promises);
}

// ---- mutants ----

static void mutants_break_them(void **state) {
    (void)state;
    struct series_rule uncorrected = rule_of_project(), strict = uncorrected, short_segments = uncorrected,
                       blind = uncorrected, backwards = uncorrected, narrow = uncorrected,
                       one_look = uncorrected;
    one_look.options.max_p = 0.01;   // as it was while only one look was promised
    uncorrected.options.max_p = 0.1; // 0.001 a place, as if only one could be chosen of 100
    strict.options.max_weak_p = 1e-12;
    short_segments.options.min_segment = 2;
    blind.is_blind = true;
    backwards.is_backwards = true;
    narrow.options.level = 0.8;
    breaks(&ever_normal, one_look, 1000);
    breaks(&any_of_100, uncorrected, 1000);
    breaks(&taken_back, strict, 500);
    breaks(&two_values, short_segments, 1000);
    breaks(&repeated, blind, 500);
    const struct series_promise up = {{"slower from 50 on", STEP(100, 50, 3)}, EVENT_UP, true, 0.98},
                                covered = {{"interval", STEP(100, 50, 3)}, EVENT_COVERED, true, 0.92};
    breaks(&up, backwards, 500);
    breaks(&covered, narrow, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_series),
        cmocka_unit_test(unchanged_series_that_remember),
        cmocka_unit_test(looked_at_after_each_commit),
        cmocka_unit_test(steps_are_found),
        cmocka_unit_test(two_changes_and_spikes),
        cmocka_unit_test(a_drift_is_taken_for_steps),
        cmocka_unit_test(mutants_break_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
