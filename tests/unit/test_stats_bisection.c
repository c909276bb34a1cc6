// SPDX-License-Identifier: Apache-2.0
//
// The search for a commit on answers that are given: clear ones, branches, commits that cannot be measured,
// equal code. What its probabilities are worth on drawn answers: tests/stats/test_bisections.c.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/bisection.h"

#define COMMITS_MAX 200

static void start(struct bisection *search, size_t count, bool is_chain) {
    assert_int_equal(bisection_init(search, count, is_chain), 0);
}

// Answers clearly until nothing is open; returns how many answers it took.
static size_t answer_all(struct bisection *search, size_t culprit, double certainty, bool *is_suspect) {
    size_t answers = 0;
    while (bisection_suspects(search, is_suspect) < certainty) {
        const size_t next = bisection_next(search);
        assert_true(next < search->count && search->is_usable[next] && answers < search->count);
        bisection_observe(search, next, bisection_contains(search, next, culprit) ? 1.0 : 0.0,
                          BISECTION_MISLEADING);
        ++answers;
    }
    return answers;
}

static void clear_answers_bisect(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 7, 64, 100};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        for (size_t culprit = 0; culprit < counts[c]; ++culprit) {
            struct bisection search;
            bool is_suspect[COMMITS_MAX];
            start(&search, counts[c], true);
            const size_t left = bisection_answers_left(&search);
            assert_int_equal(left, (size_t)ceil(log2((double)counts[c]) - 0.5));
            assert_true((double)answer_all(&search, culprit, 0.95, is_suspect) <=
                        ceil(log2((double)counts[c])));
            for (size_t k = 0; k < counts[c]; ++k) assert_int_equal(is_suspect[k], k == culprit);
            assert_true(bisection_answers_left(&search) <= 1);
            bisection_free(&search);
        }
}

// 0 - 1 - 2 - 3 - 6 - 7, with 4 - 5 from 1 merged at 6: only what contains the culprit has the change.
static void branches(void **state) {
    (void)state;
    static const size_t parents[][3] = {{1, 0}, {2, 1}, {3, 2}, {4, 1}, {5, 4}, {6, 3}, {6, 5}, {7, 6}};
    for (size_t culprit = 0; culprit < 8; ++culprit) {
        struct bisection search;
        bool is_suspect[8];
        start(&search, 8, false);
        for (size_t i = 0; i < 8; ++i) bisection_add_parent(&search, parents[i][0], parents[i][1]);
        assert_true(bisection_contains(&search, 7, 4) && bisection_contains(&search, 6, 2));
        assert_false(bisection_contains(&search, 3, 4) || bisection_contains(&search, 5, 2));
        assert_true(answer_all(&search, culprit, 0.95, is_suspect) <= 5);
        for (size_t k = 0; k < 8; ++k) assert_int_equal(is_suspect[k], k == culprit);
        bisection_free(&search);
    }
}

static void unusable_commits_leave_a_range(void **state) {
    (void)state;
    struct bisection search;
    bool is_suspect[16];
    start(&search, 16, true);
    for (size_t i = 6; i <= 8; ++i) bisection_set_unusable(&search, i);
    answer_all(&search, 7, 0.95, is_suspect);
    for (size_t k = 0; k < 16; ++k) assert_int_equal(is_suspect[k], k >= 6 && k <= 9);
    bisection_free(&search);
    start(&search, 16, true);
    for (size_t i = 0; i < 15; ++i) bisection_set_unusable(&search, i);
    assert_int_equal(bisection_next(&search), 16);
    assert_true(bisection_suspects(&search, is_suspect) > 0.999);
    bisection_free(&search);
}

// A commit that cannot be measured seldom comes alone: the next one is some way off.
static void next_keeps_away_from_unusable(void **state) {
    (void)state;
    struct bisection search;
    start(&search, 64, true);
    const size_t middle = bisection_next(&search);
    assert_true(middle == 31 || middle == 32);
    bisection_set_unusable(&search, middle);
    const size_t next = bisection_next(&search);
    assert_true(next + 3 < middle || next > middle + 3);
    assert_true(next > 16 && next < 48);
    bisection_free(&search);
}

static void equal_code_says_the_same(void **state) {
    (void)state;
    struct bisection search;
    start(&search, 32, true);
    bisection_observe_same(&search, 20, BISECTION_GOOD);
    assert_true(bisection_p_changed(&search, 20) < 1e-4);
    bisection_observe_same(&search, 28, 31);
    assert_true(bisection_p_changed(&search, 28) > 1 - 1e-4);
    bisection_observe_same(&search, 27, 22); // neither is known: both or none
    assert_true(bisection_p_changed(&search, 27) - bisection_p_changed(&search, 22) < 1e-4);
    bisection_observe(&search, 22, 1.0, BISECTION_MISLEADING);
    assert_true(bisection_p_changed(&search, 27) > 0.99);
    bisection_free(&search);
}

// One answer in a thousand misleads: no answer alone is more than that worth, and a wrong one is found out.
static void a_wrong_answer_is_found_out(void **state) {
    (void)state;
    struct bisection search;
    bool is_suspect[64];
    start(&search, 64, true);
    bisection_observe(&search, 31, 1.0, BISECTION_MISLEADING); // the culprit is 40
    const double certainty = 0.999;
    answer_all(&search, 40, certainty, is_suspect);
    for (size_t k = 0; k < 64; ++k) assert_int_equal(is_suspect[k], k == 40);
    bisection_free(&search);
}

static void evidence(void **state) {
    (void)state;
    const struct bisection_measurement step = {0.06, 0.001, 9};
    const struct bisection_measurement without = {0.001, 0.001, 4}, with = {0.059, 0.001, 4},
                                       half = {0.03, 0.0005, 9}, vague = {0.045, 0.04, 4};
    assert_true(bisection_evidence(&without, &step) < 0.002);
    assert_true(bisection_evidence(&with, &step) > 0.998);
    assert_true(fabs(bisection_evidence(&half, &step) - 0.5) < 0.05);
    assert_true(bisection_evidence(&vague, &step) > 0.5 && bisection_evidence(&vague, &step) < 0.7);
    const struct bisection_measurement faster = {-0.06, 0.001, 9}, down = {-0.06, 0.001, 4},
                                       exact = {0.0, 0.0, 9};
    assert_true(bisection_evidence(&down, &faster) > 0.998);
    assert_true(bisection_evidence(&exact, &faster) < 0.002); // counts have no spread
}

static void nothing_to_search(void **state) {
    (void)state;
    struct bisection search = {0};
    assert_int_equal(bisection_init(&search, 0, true), -EINVAL);
    bisection_free(&search);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_answers_bisect),
        cmocka_unit_test(branches),
        cmocka_unit_test(unusable_commits_leave_a_range),
        cmocka_unit_test(next_keeps_away_from_unusable),
        cmocka_unit_test(equal_code_says_the_same),
        cmocka_unit_test(a_wrong_answer_is_found_out),
        cmocka_unit_test(evidence),
        cmocka_unit_test(nothing_to_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
