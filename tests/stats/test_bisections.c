// SPDX-License-Identifier: Apache-2.0
//
// What the certainty of a bisect is worth (docs/bisect.md): the share of wrong commits among those that are
// named, and the gates that it takes, on drawn measurements of known spread, each held against the 99.9 %
// binomial bound; and mutants that break it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stats/binomial.h"
#include "stats/bisection.h"
#include "stats/simulate.h"
#include "stats/student_t.h"

#define COMMITS   64
#define GATES_MAX 40
#define CHANGE    0.058  // log ratio: 6 %
#define END_P     0.0001 // of the two ends, as a gate's regression has it

struct bisect_cell {
    const char *name;
    double spread; // sd of a round
    size_t round_count;
    double certainty;
    double misleading; // share of measurements that say anything
    double wobble;     // sd of what each commit adds of its own
};

struct bisect_rule {
    double misleading; // what the rule takes that share for
    bool is_plain;     // a mutant: each answer is taken for certain
};
static const struct bisect_rule project = {.misleading = BISECTION_MISLEADING};

struct bisect_tally {
    // begun: the gate of the ends saw the change; quick: named in seven gates
    size_t begun, named, wrong, quick;
};

// A gate's measurement: mean and standard error of normal rounds.
static struct bisection_measurement draw(const struct bisect_cell *cell, double change, uint64_t trial,
                                         uint64_t gate) {
    const uint64_t stream = rng_stream(cell->name) + gate;
    const double df = (double)(cell->round_count - 1), n = (double)cell->round_count;
    double squares = 0.0;
    for (size_t i = 1; i < cell->round_count; ++i) squares += pow(rng_normal(trial, stream, i), 2.0);
    if (rng_uniform(trial, stream, 1000) < cell->misleading)
        change = CHANGE * (rng_uniform(trial, stream, 1001) < 0.5);
    return (struct bisection_measurement){
        .change = change + cell->spread / sqrt(n) * rng_normal(trial, stream, 0),
        .se = cell->spread * sqrt(squares / df) / sqrt(n),
        .df = df,
    };
}

static double true_change(const struct bisect_cell *cell, size_t commit, size_t culprit, uint64_t trial) {
    return (commit >= culprit ? CHANGE : 0.0) +
           cell->wobble * rng_normal(trial, rng_stream("wobble"), commit);
}

static void run_trial(const struct bisect_cell *cell, const struct bisect_rule *rule, uint64_t trial,
                      struct bisect_tally *tally) {
    const size_t culprit = rng_below(trial, rng_stream("culprit"), 0, COMMITS);
    const struct bisection_measurement step = draw(cell, CHANGE, trial, 0);
    if (step.change <= 0 || student_t_sf(step.change / step.se, step.df) > END_P)
        return; // exit 3 by the gate
    ++tally->begun;
    struct bisection search;
    bool is_suspect[COMMITS];
    size_t gates = 1;
    assert_int_equal(bisection_init(&search, COMMITS, true), 0);
    while (bisection_suspects(&search, is_suspect) < cell->certainty && gates < GATES_MAX) {
        const size_t next = bisection_next(&search);
        if (next >= COMMITS) break;
        const struct bisection_measurement found =
            draw(cell, true_change(cell, next, culprit, trial), trial, gates++);
        const double p = bisection_evidence(&found, &step);
        bisection_observe(&search, next, rule->is_plain ? p > 0.5 : p, rule->misleading);
    }
    const bool is_named = bisection_suspects(&search, is_suspect) >= cell->certainty;
    tally->named += is_named;
    tally->wrong += is_named && !is_suspect[culprit];
    tally->quick += is_named && gates <= 7;
    bisection_free(&search);
}

static struct bisect_tally run(const struct bisect_cell *cell, const struct bisect_rule *rule,
                               size_t trials) {
    struct bisect_tally tally = {0};
    for (uint64_t trial = 0; trial < trials; ++trial) run_trial(cell, rule, trial, &tally);
    printf("%-32s begun %zu of %zu, named %zu, wrong %zu, in seven gates %zu\n", cell->name, tally.begun,
           trials, tally.named, tally.wrong, tally.quick);
    return tally;
}

// At most the share of wrong ones that the certainty allows.
static bool is_honest(const struct bisect_cell *cell, const struct bisect_tally *tally) {
    return binomial_tail(tally->named, 1.0 - cell->certainty, tally->wrong).at_least > SIMULATE_DOUBT;
}

static void the_certainty_is_kept(void **state) {
    (void)state;
    static const struct bisect_cell cells[] = {
        {"spread 0.2 %, 5 rounds", 0.002, 5, 0.95, 0, 0},
        {"spread 1 %, 5 rounds", 0.01, 5, 0.95, 0, 0},
        {"spread 2 %, 10 rounds", 0.02, 10, 0.95, 0, 0},
        {"spread 4 %, 10 rounds", 0.04, 10, 0.95, 0, 0},
        {"spread 4 %, 20 rounds", 0.04, 20, 0.99, 0, 0},
        {"spread 6 %, 20 rounds", 0.06, 20, 0.95, 0, 0},
        {"one gate in 1000 misleads", 0.01, 10, 0.95, 0.001, 0},
        {"one gate in 200 misleads", 0.01, 10, 0.95, 0.005, 0},
        {"each commit adds 0.5 %", 0.01, 10, 0.95, 0, 0.005},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; ++i) {
        const size_t trials = simulate_trials() / 5;
        const struct bisect_tally tally = run(&cells[i], &project, trials);
        assert_true(is_honest(&cells[i], &tally));
    }
}

// The acceptance: 64 commits, a change of 6 %, seven gates in 19 of 20 searches that begin, on machines like
// sim:steady and sim:promise.
static void seven_gates_are_enough(void **state) {
    (void)state;
    static const struct bisect_cell cells[] = {
        {"as sim:steady", 0.003, 5, 0.95, 0, 0},
        {"as sim:promise", 0.02, 10, 0.95, 0, 0},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; ++i) {
        const size_t trials = simulate_trials() / 5;
        const struct bisect_tally tally = run(&cells[i], &project, trials);
        const struct binomial_tail tail = binomial_tail(tally.begun, 0.95, tally.quick - tally.wrong);
        assert_true(tail.below + tail.at > SIMULATE_DOUBT);
    }
}

// Who takes each answer for certain is more often wrong than he says.
static void a_plain_bisection_is_not_honest(void **state) {
    (void)state;
    static const struct bisect_rule plain = {.misleading = 1e-12, .is_plain = true},
                                    trusting = {.misleading = 1e-12};
    static const struct bisect_cell noisy = {"spread 8 %, 20 rounds, plain", 0.08, 20, 0.95, 0, 0},
                                    misled = {"one gate in 20 misleads", 0.01, 10, 0.95, 0.05, 0};
    const struct bisect_tally by_plain = run(&noisy, &plain, 2000), by_project = run(&noisy, &project, 2000),
                              by_trusting = run(&misled, &trusting, 2000);
    assert_false(is_honest(&noisy, &by_plain));
    assert_true(is_honest(&noisy, &by_project));
    assert_false(is_honest(&misled, &by_trusting));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_certainty_is_kept),
        cmocka_unit_test(seven_gates_are_enough),
        cmocka_unit_test(a_plain_bisection_is_not_honest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
