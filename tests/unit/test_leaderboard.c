// SPDX-License-Identifier: Apache-2.0
//
// Ranks of candidates: noise wins nothing, a real gain does, figures that make no interval have no rank.
#include "verdict/leaderboard.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stats/round_stats.h"
#include "stats/student_t.h"

#define CANDIDATES 50
#define ROUNDS     5

// So many rounds of a kernel whose log ratio is normal around `mean`.
static struct leader measured(double mean, double sd, uint64_t seed, uint64_t number) {
    double slower[ROUNDS];
    struct round_stats stats;
    for (int i = 0; i < ROUNDS; ++i) {
        const double uniform = (double)(rng_u64(seed, number, (uint64_t)i) >> 11) / 9007199254740992.0;
        slower[i] = -mean + sd * normal_quantile(uniform * 0.999998 + 0.000001);
    }
    assert_int_equal(round_stats_get(slower, ROUNDS, &stats), 0);
    const struct interval interval = round_stats_interval(&stats, 0.05);
    return (struct leader){.speedup = exp(-stats.mean),
                           .speedup_low = exp(-interval.hi),
                           .speedup_high = exp(-interval.lo),
                           .round_count = ROUNDS};
}

static void noise_wins_nothing(void **state) {
    (void)state;
    int wins = 0;
    for (uint64_t trial = 0; trial < 200; ++trial) {
        struct leader leaders[CANDIDATES];
        for (uint64_t i = 0; i < CANDIDATES; ++i) leaders[i] = measured(0, 0.01, trial, i);
        leaderboard_rank(leaders, CANDIDATES);
        wins += leaders[1].rank != 1; // somebody is alone in front
    }
    assert_in_range(wins, 0, 2);
}

static void a_gain_wins(void **state) {
    (void)state;
    struct leader leaders[CANDIDATES];
    for (uint64_t i = 0; i < CANDIDATES; ++i) leaders[i] = measured(i == 7 ? 0.3 : 0, 0.005, 1, i);
    leaders[7].owner = leaders;
    leaderboard_rank(leaders, CANDIDATES);
    assert_ptr_equal(leaders[0].owner, leaders);
    assert_int_equal(leaders[0].rank, 1);
    for (int i = 1; i < CANDIDATES; ++i) assert_int_equal(leaders[i].rank, 2);
}

static void strange_figures_have_no_rank(void **state) {
    (void)state;
    struct leader leaders[] = {
        {.speedup = 1, .speedup_low = 1, .speedup_high = 1, .round_count = 3}, // no spread at all
        {.speedup = 2, .speedup_low = 2, .speedup_high = 2, .round_count = 3},
        {.speedup = NAN, .speedup_low = NAN, .speedup_high = NAN, .round_count = 3},
        {.speedup = 9, .speedup_low = 8, .speedup_high = 10, .round_count = 1},
        {.speedup = 9, .speedup_low = -1, .speedup_high = INFINITY, .round_count = 3},
        {.speedup = 9, .speedup_low = 10, .speedup_high = 8, .round_count = 3},
    };
    leaderboard_rank(leaders, 6);
    for (int i = 0; i < 4; ++i) assert_int_equal(leaders[i].rank, 0);
    assert_true(leaders[4].rank == 1 && leaders[4].speedup > 1.5);
    assert_int_equal(leaders[5].rank, 2);
    leaderboard_rank(leaders, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_wins_nothing),
        cmocka_unit_test(a_gain_wins),
        cmocka_unit_test(strange_figures_have_no_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
