// SPDX-License-Identifier: Apache-2.0
//
// Who goes into the final of a tuning: the fastest by their means, and those that are best on one problem.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/tune/tune_contest.h"

enum { PROBLEMS = 3, ROUNDS = 2 };

// A variant by its speed-ups on the problems; 0: it was never timed.
struct made {
    double speedups[PROBLEMS];
    bool is_alive;
};

static double sums[8][PROBLEMS];

static void tell(struct tune_contest *contest, const struct made *variants, size_t count) {
    static const struct tune_space space = {.knob_count = 1, .knobs = {{.name = "A", .value_count = 2}}};
    tune_contest_init(contest, &space, TUNE_RANDOM, 1, ROUNDS);
    for (size_t i = 0; i < count; ++i) {
        struct tune_tried tried = {.is_alive = variants[i].is_alive, .log_ratio = NAN};
        if (variants[i].speedups[0] > 0) {
            tried = (struct tune_tried){.is_alive = variants[i].is_alive,
                                        .round_count = ROUNDS,
                                        .problem_sums = sums[i],
                                        .problem_round_count = ROUNDS};
            for (size_t p = 0; p < PROBLEMS; ++p) {
                sums[i][p] = -ROUNDS * log(variants[i].speedups[p]); // NAN of what it does not take
                tried.log_ratio -= log(variants[i].speedups[p]) / PROBLEMS;
            }
            if (isnan(tried.log_ratio)) tried.round_count = 0;
        }
        tune_search_add(&contest->search, &tried);
    }
}

static void the_fastest_come_first(void **state) {
    (void)state;
    static const struct made variants[] = {{{0}, true},
                                           {{1.1, 1.1, 1.1}, true},
                                           {{1.5, 1.5, 1.5}, false}, // dropped: behind those that were not
                                           {{1.2, 1.2, 1.2}, true},
                                           {{0.9, 0.9, 0.9}, true}, // slower: never
                                           {{1.4, 1.4, 1.4}, false}};
    struct tune_contest contest;
    size_t places[7];
    tell(&contest, variants, 6);
    assert_int_equal(tune_contest_finalists(&contest, places, 3), 3);
    assert_true(places[0] == 3 && places[1] == 1 && places[2] == 2);
    assert_int_equal(tune_contest_finalists(&contest, places, 4), 4);
    assert_true(places[3] == 5);
    assert_int_equal(tune_contest_specialists(&contest, PROBLEMS, places, 4, 7),
                     4); // nobody is better anywhere
    tune_contest_fini(&contest);
}

static void specialists_follow(void **state) {
    (void)state;
    static const struct made variants[] = {{{0}, true},
                                           {{1.30, 1.30, 1.30}, true},
                                           {{0.50, 1.50, 0.50}, false}, // slower in all, best on the second
                                           {{1.32, 1.00, 1.00}, true},  // best on the first, by too little
                                           {{0.50, 0.50, 1.60}, false}};
    struct tune_contest contest;
    size_t places[7];
    tell(&contest, variants, 5);
    assert_int_equal(tune_contest_finalists(&contest, places, 1), 1);
    assert_int_equal(tune_contest_specialists(&contest, PROBLEMS, places, 1, 7), 3);
    assert_true(places[0] == 1 && places[1] == 2 && places[2] == 4);
    assert_int_equal(tune_contest_specialists(&contest, PROBLEMS, places, 1, 2), 2); // as many as fit
    assert_int_equal(tune_contest_specialists(&contest, PROBLEMS, places, 0, 7),
                     3); // beside the baseline alone
    tune_contest_fini(&contest);
}

// Who takes some problems only is no finalist by its mean, however fast, but one by a problem.
static void who_takes_some_problems_follows_for_those(void **state) {
    (void)state;
    static const struct made variants[] = {
        {{0}, true}, {{1.30, 1.30, 1.30}, true}, {{2.00, 2.00, NAN}, false}, {{1.10, NAN, 1.10}, false}};
    struct tune_contest contest;
    size_t places[7];
    tell(&contest, variants, 4);
    assert_int_equal(tune_contest_finalists(&contest, places, 3), 1);
    assert_int_equal(tune_contest_specialists(&contest, PROBLEMS, places, 1, 7), 2);
    assert_true(places[0] == 1 && places[1] == 2);
    tune_contest_fini(&contest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_come_first),
        cmocka_unit_test(specialists_follow),
        cmocka_unit_test(who_takes_some_problems_follows_for_those),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
