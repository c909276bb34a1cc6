// SPDX-License-Identifier: Apache-2.0
//
// Cases of a result found by what they are: the first of equal ones, duplicates, many.
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

static void cases_are_found_by_identity_and_short_name(void **state) {
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
    assert_ptr_equal(case_index_find_short(&index, "one"), &cases[1]); // the document's order
    assert_ptr_equal(case_index_find_short(&index, "two"), &cases[0]);
    assert_null(case_index_find_short(&index, "three"));
    assert_null(case_index_find_short(&index, NULL));
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases_are_found_by_identity_and_short_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
