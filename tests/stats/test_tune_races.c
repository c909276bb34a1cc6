// SPDX-License-Identifier: Apache-2.0
//
// What `assay tune` promises of its search, its races and its claims (docs/tune.md), on drawn rounds of
// variants whose true times are known: how near to the best and at what cost, how often the best is dropped,
// and that a claimed gain is neither too good nor too bad. Mutants that break a promise must be seen.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "control/tune/tune_contest.h"
#include "control/tune/tune_elite.h"
#include "stats/binomial.h"
#include "stats/simulate.h"

#define SIGMA    0.01 // sd of ln(time) between processes, of one side
#define PROBLEMS 4

// Four knobs, 360 points. The best is off the baseline in every knob, and two knobs depend on each other.
static const struct tune_space space = {
    .knob_count = 4,
    .point_count = 360,
    .is_start_exact = true,
    .knobs = {{.name = "BLOCK_M", .value_count = 6, .values = {8, 16, 32, 64, 128, 256}, .start = 5},
              {.name = "BLOCK_N", .value_count = 5, .values = {16, 32, 64, 128, 256}, .start = 0},
              {.name = "STAGES", .value_count = 4, .values = {1, 2, 3, 4}, .start = 0},
              {.name = "WARPS", .value_count = 3, .values = {2, 4, 8}, .start = 0}}};

// ln(time) of a point, and a roughness of its own: no smooth hill.
static double true_log(uint64_t seed, const struct tune_point *point) {
    const double m = point->at[0] - 2.0, n = point->at[1] - 3.0, stages = point->at[2] - 2.0;
    const double warps = point->at[3] - 1.0;
    return 0.03 * m * m + 0.025 * n * n + 0.02 * m * n + 0.04 * stages * stages + 0.05 * warps * warps +
           0.01 * rng_normal(seed, rng_stream("roughness"), tune_space_number(&space, point));
}

struct measurer {
    uint64_t seed, round_count; // rounds of one side so far: what was measured costs that
};

// x of one round of a heat, as means over the problems.
static void measure(struct measurer *measurer, const struct tune_heat *heat, const struct tune_entry *entries,
                    double *ret) {
    const struct tune_point start = tune_space_start(&space);
    const uint64_t round = measurer->round_count;
    const double base = true_log(measurer->seed, &start) + SIGMA * rng_normal(measurer->seed, 0, round);
    ++measurer->round_count;
    for (size_t side = 1; side < heat->side_count; ++side) {
        ret[side] = NAN;
        if (heat->is_dropped[side]) continue;
        ret[side] = true_log(measurer->seed, &entries[side].point) +
                    SIGMA * rng_normal(measurer->seed, side, round) - base;
        ++measurer->round_count;
    }
}

// Until the search ends, or that many rounds of a side were measured.
static void run_heats(struct tune_contest *contest, struct measurer *measurer, uint64_t limit) {
    struct tune_entry entries[TUNE_HEAT_SIDES];
    struct tune_heat heat;
    while (measurer->round_count < limit && tune_contest_begin(contest, TUNE_HEAT_SIDES, entries, &heat)) {
        double x[TUNE_HEAT_SIDES] = {0};
        while (tune_heat_goes_on(&heat)) {
            measure(measurer, &heat, entries, x);
            tune_heat_add(&heat, x);
        }
        tune_contest_end(contest, &heat, entries);
    }
}

static double true_best(uint64_t seed) {
    double best = INFINITY;
    for (uint64_t i = 0; i < space.point_count; ++i) {
        const struct tune_point point = tune_space_point(&space, i);
        best = fmin(best, true_log(seed, &point));
    }
    return best;
}

// ---- near the best, at a third of the cost ----

struct found {
    double excess;     // ln(found / best)
    uint64_t measured; // rounds of a side
};

static struct found search(enum tune_strategy strategy, uint64_t seed) {
    struct tune_contest contest;
    struct measurer measurer = {.seed = seed};
    size_t finalist;
    tune_contest_init(&contest, &space, strategy, seed, TUNE_RACE_ROUNDS);
    run_heats(&contest, &measurer, UINT64_MAX);
    assert_int_equal(tune_contest_finalists(&contest, &finalist, 1), 1);
    const struct found ret = {true_log(seed, &contest.search.tried[finalist].point) - true_best(seed),
                              measurer.round_count};
    tune_contest_fini(&contest);
    return ret;
}

static void near_the_best_at_a_third(void **state) {
    (void)state;
    // The whole space in heats that drop nobody: seven variants beside a baseline, five rounds each.
    const double all = (double)space.point_count * TUNE_RACE_ROUNDS * TUNE_HEAT_SIDES / (TUNE_HEAT_SIDES - 1);
    int good = 0;
    double cost = 0, worst = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        const struct found found = search(TUNE_EVOLUTIONARY, seed);
        good += found.excess <= log(1.03) && (double)found.measured <= all / 3;
        cost += (double)found.measured / all / 100;
        worst = fmax(worst, found.excess);
    }
    print_message("%d of 100 seeds within 3 %% at a third; %.1f %% of the measurements, worst %.1f %% off\n",
                  good, 100 * cost, 100 * expm1(worst));
    assert_true(good >= 95);
}

// A search that only draws, at the same cost, is not near enough: the evolution is worth its code.
static void random_is_worse(void **state) {
    (void)state;
    int good = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        struct tune_contest contest;
        struct measurer measurer = {.seed = seed};
        size_t finalist;
        tune_contest_init(&contest, &space, TUNE_RANDOM, seed, TUNE_RACE_ROUNDS);
        run_heats(&contest, &measurer, search(TUNE_EVOLUTIONARY, seed).measured);
        if (tune_contest_finalists(&contest, &finalist, 1))
            good += true_log(seed, &contest.search.tried[finalist].point) - true_best(seed) <= log(1.03);
        tune_contest_fini(&contest);
    }
    print_message("random, at the same cost: %d of 100 seeds within 3 %%\n", good);
    assert_true(good < 90);
}

static void exhaustive_tries_all(void **state) {
    (void)state;
    struct tune_contest contest;
    struct measurer measurer = {.seed = 7};
    size_t places[TUNE_ELITE_MAX];
    tune_contest_init(&contest, &space, TUNE_EXHAUSTIVE, 7, TUNE_RACE_ROUNDS);
    run_heats(&contest, &measurer, UINT64_MAX);
    assert_int_equal(contest.search.tried_count, space.point_count);
    assert_int_equal(tune_contest_finalists(&contest, places, TUNE_ELITE_MAX), TUNE_ELITE_MAX);
    assert_true(true_log(7, &contest.search.tried[places[0]].point) - true_best(7) <= log(1.02));
    for (size_t i = 1; i < TUNE_ELITE_MAX; ++i)
        assert_true(!contest.search.tried[places[i]].is_alive ||
                    contest.search.tried[places[i - 1]].log_ratio <=
                        contest.search.tried[places[i]].log_ratio);
    tune_contest_fini(&contest);
}

// ---- the best is not dropped ----

// Ten heats of variants that are equal, but for one that is a little faster. A mutant underrates the noise.
static bool is_best_dropped(uint64_t trial, bool is_mutant) {
    struct tune_noise noise = {0};
    bool ret = false;
    for (uint32_t h = 1; h <= 10; ++h) {
        struct tune_heat heat;
        if (is_mutant) noise = (struct tune_noise){.squares = 0, .df = 1e6};
        tune_heat_init(&heat, TUNE_HEAT_SIDES, h, TUNE_RACE_ROUNDS, &noise);
        for (uint64_t r = 0; tune_heat_goes_on(&heat); ++r) {
            double x[TUNE_HEAT_SIDES];
            for (size_t side = 0; side < TUNE_HEAT_SIDES; ++side)
                x[side] = SIGMA * rng_normal(trial, rng_stream("equal") + side, h * 1000 + r);
            for (size_t side = TUNE_HEAT_SIDES; side-- > 0;) x[side] -= x[0];
            x[1] -= 0.0001;
            tune_heat_add(&heat, x);
        }
        ret |= heat.is_dropped[1];
        noise = tune_heat_noise(&heat);
    }
    return ret;
}

static bool keeps_the_best(size_t trials, bool is_mutant) {
    size_t wrong = 0;
    for (size_t trial = 0; trial < trials; ++trial) wrong += is_best_dropped(trial, is_mutant);
    print_message("%s%zu of %zu races dropped the best\n", is_mutant ? "mutant: " : "", wrong, trials);
    return binomial_tail(trials, TUNE_RACE_ALPHA, wrong).at_least > SIMULATE_DOUBT;
}

static void best_survives(void **state) {
    (void)state;
    assert_true(keeps_the_best(simulate_trials() / 10, false));
    assert_false(keeps_the_best(simulate_trials() / 10, true));
}

// ---- what is claimed ----

struct claims {
    double mean, sd;
    size_t count, overlaps;
};

// The final of the winner of a search among `count` equal variants, 8 % faster than the baseline: the winner
// is the one that was luckiest. Its claim less what another run says of it.
static struct claims compare_claims(bool takes_race) {
    enum { SEEDS = 200, EQUALS = 30 };
    const double gain = log(0.92);
    double differences[SEEDS];
    struct claims ret = {0};
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        double luckiest = INFINITY;
        for (uint64_t v = 0; v < EQUALS; ++v)
            luckiest = fmin(luckiest, gain + SIGMA * sqrt(2.0 / 5) * rng_normal(seed, rng_stream("race"), v));
        double x[2][PROBLEMS * 2 * TUNE_FINAL_ROUNDS];
        struct tune_claim claims[2];
        for (uint64_t run = 0; run < 2; ++run) {
            for (uint64_t i = 0; i < PROBLEMS * 2 * TUNE_FINAL_ROUNDS; ++i)
                x[run][i] = gain + SIGMA * sqrt(2.0) * rng_normal(seed, rng_stream("final") + run, i);
            const struct tune_final final = {PROBLEMS, 2 * TUNE_FINAL_ROUNDS, TUNE_FINAL_ROUNDS, x[run]};
            claims[run] = tune_final_judge(&final);
        }
        if (claims[0].judgement != TUNE_JUDGED_IN) continue;
        const double claimed = takes_race ? exp(-luckiest) : claims[0].speedup;
        differences[ret.count++] = claimed - claims[1].speedup;
        ret.mean += claimed - claims[1].speedup;
        ret.overlaps += !interval_is_disjoint(claims[0].speedup_interval, claims[1].speedup_interval);
    }
    ret.mean /= (double)ret.count;
    for (size_t i = 0; i < ret.count; ++i) ret.sd += pow(differences[i] - ret.mean, 2) / (double)ret.count;
    ret.sd = sqrt(ret.sd);
    return ret;
}

static bool is_unbiased(const struct claims *claims) {
    return fabs(claims->mean) <= 2 * claims->sd / sqrt((double)claims->count);
}

static void no_winners_curse(void **state) {
    (void)state;
    const struct claims claims = compare_claims(false), cursed = compare_claims(true);
    print_message("claimed less later speed-up: %.4f, standard error %.4f; intervals overlap in %zu of %zu\n",
                  claims.mean, claims.sd / sqrt((double)claims.count), claims.overlaps, claims.count);
    assert_int_equal(claims.count, 200);
    assert_true(is_unbiased(&claims));
    assert_true(claims.overlaps * 100 >= claims.count * 95);
    assert_false(is_unbiased(&cursed)); // what the race said of its winner is too good
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_the_best_at_a_third), cmocka_unit_test(random_is_worse),
        cmocka_unit_test(exhaustive_tries_all),     cmocka_unit_test(best_survives),
        cmocka_unit_test(no_winners_curse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
