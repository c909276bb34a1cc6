// SPDX-License-Identifier: Apache-2.0
//
// What stands in the place of an input that a wrong kernel of a declared operator ignores.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "op/declared/declared.h"
#include "op/mutant.h"

#define N 8
static const struct declared_axis axes[] = {{"n", "8"}};
static const struct declared_scalar scalars[] = {
    {.name = "eps", .value = 0.5}, {.name = "shift"}, {.name = "causal", .value = 1, .is_bool = true}};
static const struct declared_tensor tensors[] = {
    {"x", "fp32[n]", ASSAY_IN},  {"order", "int32[n] unique(n)", ASSAY_IN}, {"place", "int32[n]", ASSAY_IN},
    {"y", "fp32[n]", ASSAY_OUT}, {"carried", "fp64[]", ASSAY_INOUT},
};
static const struct declared declared = {.name = "one",
                                         .axes = axes,
                                         .axis_count = 1,
                                         .scalars = scalars,
                                         .scalar_count = 3,
                                         .tensors = tensors,
                                         .tensor_count = 5};

// What the reference was called with last.
static struct {
    char name[PROBLEM_NAME_BYTES];
    float x[N];
    int32_t order[N], place[N];
    double carried;
} seen;

static int look(const struct mutant_case *at, const struct problem *problem, const struct assay_tensor *given,
                double *const *outputs, struct err *err) {
    (void)at, (void)outputs, (void)err;
    strcpy(seen.name, problem->name);
    memcpy(seen.x, given[0].data, sizeof seen.x);
    memcpy(seen.order, given[1].data, sizeof seen.order);
    memcpy(seen.place, given[2].data, sizeof seen.place);
    memcpy(&seen.carried, given[4].data, sizeof seen.carried);
    return 0;
}

static void each_input(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct operator_def *op;
    struct problem problem;
    struct problem_abi abi;
    float x[N];
    int32_t order[N], place[N], counts[N] = {0};
    double carried;
    assert_int_equal(declared_make(&arena, &declared, &op, NULL), 0);
    assert_int_equal(problem_make(op, "default", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    void *const data[] = {x, order, place, NULL, &carried};
    for (uint32_t i = 0; i < 5; ++i) {
        abi.tensors[i].data = data[i];
        if (data[i]) assert_int_equal(op->fill(&problem, "normal", 7, i, &abi.tensors[i], NULL), 0);
    }
    struct mutant_case at = {.problem = &problem,
                             .distribution = "normal",
                             .seed = 7,
                             .tensors = abi.tensors,
                             .input_count = 3,
                             .output_count = 2,
                             .oracle = look};
    static const char *const names[] = {"x", "order", "place", "y", "carried", "eps", "shift", "causal"};
    for (size_t i = 0; i < 8; ++i) {
        at.mutant = &op->mutants[i];
        assert_string_equal(declared_ignored_input(op, at.mutant), names[i]);
        const bool applies = !at.mutant->applies || at.mutant->applies(&at);
        assert_int_equal(applies, i != 3);
        if (!applies) continue;
        assert_int_equal(at.mutant->make(&at, NULL, NULL), 0);
        // The others stay.
        assert_int_equal(memcmp(seen.x, x, sizeof x) != 0, i == 0);
        assert_int_equal(memcmp(seen.order, order, sizeof order) != 0, i == 1);
        assert_int_equal(memcmp(seen.place, place, sizeof place) != 0, i == 2);
        assert_int_equal(memcmp(&seen.carried, &carried, sizeof carried) != 0, i == 4);
        assert_string_equal(seen.name, i == 5   ? "one/n8/eps1"
                                       : i == 6 ? "one/n8/shift1"
                                       : i == 7 ? "one/n8/causalFalse"
                                                : "one/n8");
        for (size_t k = 0; k < N; ++k) {
            if (i == 0) assert_true(seen.x[k] == 1);
            if (i == 1) ++counts[seen.order[k]]; // valid indices, none twice
            if (i == 2) assert_int_equal(seen.place[k], N - 1 - k);
        }
        if (i == 4) assert_true(seen.carried == 1);
    }
    for (size_t k = 0; k < N; ++k) assert_int_equal(counts[k], 1);
    assert_null(op->mutants[8].name);
    assert_null(declared_ignored_input(op, mutant_at(op, 0))); // zeros
    assert_string_equal(mutant_at(op, 10)->name, "x_ignored");
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
