// SPDX-License-Identifier: Apache-2.0
//
// Cases of a result found by what they are: the first of equal ones, duplicates; which cases of two results
// meet.
#include <stdlib.h>

#include "base/mem.h"
#include "made_result.h"
#include "record/case_index.h"

static struct result_case named(const char *name, const char *short_name, const char *distribution) {
    struct result_case item = {
        .short_name = short_name, .distribution = distribution, .memory_layout = MEMORY_LAYOUT_DENSE};
    snprintf(item.problem.name, sizeof item.problem.name, "%s", name);
    return item;
}

static void cases_are_found_by_identity(void **state) {
    (void)state;
    struct result_case *cases = mem_alloc(5 * sizeof *cases);
    cases[0] = named("b", "two", "normal");
    cases[1] = named("a", "one", "normal");
    cases[2] = named("a", "two", "large");
    cases[3] = named("a", NULL, NULL);
    cases[4] = named("a", "one", "normal");
    cases[4].memory_layout = MEMORY_LAYOUT_PADDED;
    struct case_index index = case_index_make(cases, 5);
    for (size_t i = 0; i < 5; ++i) {
        struct result_case wanted = cases[i];
        assert_ptr_equal(case_index_find(&index, &wanted), &cases[i]);
    }
    struct result_case other = named("a", "one", "tiny");
    assert_null(case_index_find(&index, &other));
    assert_null(case_index_duplicate(&index));
    case_index_fini(&index);
    cases[4].memory_layout = MEMORY_LAYOUT_DENSE;
    index = case_index_make(cases, 5);
    assert_ptr_equal(case_index_duplicate(&index), &cases[4]);
    assert_ptr_equal(case_index_find(&index, &cases[4]), &cases[1]);
    case_index_fini(&index);
    index = case_index_make(NULL, 0);
    assert_null(case_index_find(&index, &other));
    assert_null(case_index_duplicate(&index));
    case_index_fini(&index);
    free(cases);
}

static void no_case_meets_two(void **state) {
    (void)state;
    const struct result_case a[] = {named("s512", "s", "normal"), named("s256", "t", "normal"),
                                    named("x1", "same", NULL),    named("x2", "same", NULL),
                                    named("x3", "same", NULL),    named("y", NULL, NULL),
                                    named("z", "alone", NULL)};
    // "s" here is the problem that is called "t" there: it is taken.
    const struct result_case b[] = {named("s256", "s", "normal"), named("x9", "same", NULL),
                                    named("x2", "same", NULL),    named("x8", "same", NULL),
                                    named("w", NULL, NULL),       named("s256", "t", "large")};
    const size_t none = CASE_INDEX_NONE, of_a[] = {none, 0, 1, 2, 3, none, none},
                 of_b[] = {1, 2, 3, 4, none, none};
    enum { A = sizeof a / sizeof *a, B = sizeof b / sizeof *b };
    struct case_index left = case_index_make(a, A), right = case_index_make(b, B);
    size_t got_a[A], got_b[B];
    case_index_pair(&left, &right, got_a, got_b);
    assert_memory_equal(got_a, of_a, sizeof of_a);
    assert_memory_equal(got_b, of_b, sizeof of_b);
    case_index_pair(&right, &left, got_b, got_a); // the same pairs the other way round
    assert_memory_equal(got_a, of_a, sizeof of_a);
    assert_memory_equal(got_b, of_b, sizeof of_b);
    case_index_fini(&left);
    case_index_fini(&right);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases_are_found_by_identity),
                                       cmocka_unit_test(no_case_meets_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
