// SPDX-License-Identifier: Apache-2.0
//
// Rounds that depend on each other: how many false alarms a state makes that outlives processes, and beside
// how many of them the gate warns, with and without the rounds of earlier gates (docs/promises.md).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "stats/binomial.h"
#include "stats/simulate.h"
#include "verdict/rounds/rounds_dependence.h"

#define PROBLEMS       10
#define EARLIER_GATES  5
#define EARLIER_ROUNDS 10

struct counts {
    size_t suites, called, warned; // warned: of the called
};

// The problems of one gate; gates of a suite have states of their own.
static void draw_gate(struct trial *trials, const struct cell *cell, uint64_t suite, uint64_t gate,
                      size_t rounds) {
    for (uint64_t i = 0; i < PROBLEMS; ++i) {
        trial_start(&trials[i], cell, (gate * 1000000 + suite) * SIMULATE_FAMILY + i, false);
        trial_extend(&trials[i], rounds);
    }
}

static void add_series(const struct trial *trials, uint32_t session, struct serial_series *series) {
    for (size_t i = 0; i < PROBLEMS; ++i)
        series[i] = (struct serial_series){trials[i].log_ratios, trials[i].round_count, session};
}

// As a gate: looks until all problems are decided; rounds of decided ones end there.
static void decide(struct trial *trials, const struct rounds_evidence *earlier, bool asks_for_rounds,
                   struct decision_case *cases) {
    struct rounds_options options = rounds_options_default();
    struct serial_series own[PROBLEMS];
    size_t rounds[PROBLEMS] = {0};
    options.family_count = PROBLEMS;
    add_series(trials, 0, own);
    for (size_t look = 1; look <= ROUNDS_LOOK_COUNT; ++look) {
        for (size_t i = 0; i < PROBLEMS; ++i)
            own[i].count = cases[i].verdict ? rounds[i] : look * ROUNDS_LOOK_STEP;
        if (asks_for_rounds) assert_int_equal(rounds_dependence_look(own, PROBLEMS, earlier, &options), 0);
        for (size_t i = 0; i < PROBLEMS; ++i) {
            const struct rounds_pairs pairs = {trials[i].base_ns, trials[i].cand_ns, trials[i].log_ratios};
            struct rounds_finding finding;
            if (cases[i].verdict) continue;
            rounds[i] = look * ROUNDS_LOOK_STEP;
            assert_int_equal(rounds_find(&pairs, NULL, rounds[i], &options, &finding), 0);
            cases[i] = (struct decision_case){.verdict = finding.verdict,
                                              .round_count = (uint32_t)rounds[i],
                                              .change_pct = 100 * expm1(finding.stats.mean),
                                              .spread_pct = 100 * finding.stats.sd};
        }
    }
}

static bool is_warned(const struct trial *trials, struct decision_case *cases,
                      const struct rounds_evidence *earlier) {
    const struct decision decision = {.case_count = PROBLEMS, .cases = cases};
    struct serial_series own[PROBLEMS];
    struct serial_correlation found;
    add_series(trials, 0, own);
    for (size_t i = 0; i < PROBLEMS; ++i) own[i].count = cases[i].round_count;
    assert_int_equal(rounds_dependence_find(own, PROBLEMS, earlier, ROUNDS_MAX, &found), 0);
    return rounds_are_dependent(found.p) && rounds_are_exposed(&decision);
}

static struct counts count_suites(const struct cell *cell, size_t earlier_gates, bool asks_for_rounds,
                                  size_t suites) {
    static struct trial trials[PROBLEMS], before[EARLIER_GATES][PROBLEMS]; // too big for a stack
    struct counts ret = {.suites = suites};
    for (uint64_t suite = 0; suite < suites; ++suite) {
        struct serial_series series[EARLIER_GATES * PROBLEMS];
        for (uint32_t gate = 0; gate < earlier_gates; ++gate) {
            draw_gate(before[gate], cell, suite, gate + 1, EARLIER_ROUNDS);
            add_series(before[gate], gate + 1, series + (size_t)gate * PROBLEMS);
        }
        const struct rounds_evidence earlier = {series, earlier_gates * PROBLEMS};
        struct decision_case cases[PROBLEMS] = {{.verdict = VERDICT_NONE}};
        bool is_called = false;
        draw_gate(trials, cell, suite, 0, ROUNDS_MAX);
        decide(trials, &earlier, asks_for_rounds, cases);
        for (size_t i = 0; i < PROBLEMS; ++i) is_called |= cases[i].verdict == VERDICT_REGRESSION;
        ret.called += is_called;
        ret.warned += is_called && is_warned(trials, cases, &earlier);
    }
    printf("  %-36s %zu earlier gates, %s: %5.2f %% of %zu suites called, %zu of %zu with the warning\n",
           cell->name, earlier_gates, asks_for_rounds ? "all rounds where there is a sign" : "as it comes",
           100 * (double)ret.called / (double)suites, suites, ret.warned, ret.called);
    return ret;
}

static bool is_at_least(size_t count, size_t trials, double rate) {
    const struct binomial_tail tail = binomial_tail(trials, rate, count);
    return tail.below + tail.at >= SIMULATE_DOUBT;
}

static const struct cell shared = {.name = "unchanged, AR(1) 0.9, nine tenths shared",
                                   .process = 0.02,
                                   .phi = 0.9,
                                   .shared = 0.9,
                                   .sample_count = 20,
                                   .noise = {NOISE_LOGNORMAL, .cv = 0.01}};
static const struct cell own_states = {.name = "unchanged, AR(1) 0.9, each its own",
                                       .process = 0.02,
                                       .phi = 0.9,
                                       .sample_count = 20,
                                       .noise = {NOISE_LOGNORMAL, .cv = 0.01}};
static const struct cell independent = {.name = "unchanged, independent rounds",
                                        .process = 0.02,
                                        .shared = 0.9,
                                        .sample_count = 20,
                                        .noise = {NOISE_LOGNORMAL, .cv = 0.01}};

// Fifty rounds of earlier gates: beside most false alarms stands that they may be false.
static void earlier_gates_show_it(void **state) {
    (void)state;
    const size_t suites = simulate_trials() / 5;
    struct counts counts = count_suites(&shared, EARLIER_GATES, true, suites);
    assert_true(counts.called > 0);
    assert_true(is_at_least(counts.warned, counts.called, 0.85));
    counts = count_suites(&own_states, EARLIER_GATES, true, suites / 4);
    assert_true(is_at_least(counts.warned, counts.called, 0.95));
}

// Without them and without the further rounds it is the minority.
static void one_gate_alone_hardly_does(void **state) {
    (void)state;
    const size_t suites = simulate_trials() / 5;
    const struct counts alone = count_suites(&shared, 0, false, suites),
                        more_rounds = count_suites(&shared, 0, true, suites);
    assert_false(is_at_least(alone.warned, alone.called, 0.85));
    assert_true(more_rounds.called < alone.called);
}

static void independent_rounds_are_left_alone(void **state) {
    (void)state;
    const struct counts counts = count_suites(&independent, EARLIER_GATES, true, simulate_trials() / 5);
    assert_true(counts.called <= counts.suites / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(earlier_gates_show_it),
                                       cmocka_unit_test(one_gate_alone_hardly_does),
                                       cmocka_unit_test(independent_rounds_are_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
