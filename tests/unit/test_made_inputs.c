// SPDX-License-Identifier: Apache-2.0
//
// Data of an operator's Python file: how many sets a problem has, which of them a seed takes, what makes
// them. And scalars that are True or False.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/declared/made_inputs.h"

static struct arena arena;
static const struct declared_axis axes[] = {{"n", "6"}};
static const struct declared_tensor tensors[] = {
    {"x", "fp32[n]", ASSAY_IN},
    {"table", "int32[n, 2] made", ASSAY_IN},
    {"mask", "bool[n] made", ASSAY_IN},
    {"y", "fp32[n]", ASSAY_OUT},
};
static struct declared declared = {
    .name = "one", .axes = axes, .axis_count = 1, .tensors = tensors, .tensor_count = 4};

static struct problem problem_of(const char *name) {
    struct problem ret;
    const struct operator_def *op;
    assert_int_equal(declared_make(&arena, &declared, &op, NULL), 0);
    assert_int_equal(problem_make(op, name, &ret, NULL), 0);
    return ret;
}

static void counts(void **state) {
    (void)state;
    struct made_inputs made;
    struct problem small = problem_of("default"), large = problem_of("n10000000"),
                   huge = problem_of("n100000000");
    assert_true(made_inputs_describe(&small, &made));
    assert_int_equal(made.set_count, MADE_SETS_MAX);
    assert_int_equal(made.set_bytes, 128); // 48 and 6 bytes, each at a multiple of 64
    assert_int_equal(made.offset[1], 0);
    assert_int_equal(made.offset[2], 64);
    assert_true(made_inputs_describe(&large, &made));
    assert_int_equal(made.set_count, 2); // of 90 MB
    assert_true(made_inputs_describe(&huge, &made));
    assert_int_equal(made.set_count, MADE_SETS_LEAST);
}

static void sets(void **state) {
    (void)state;
    struct problem problem = problem_of("default");
    struct problem_abi abi;
    struct made_inputs *made = mem_alloc(sizeof *made);
    struct err err = {0};
    bool has_seen[3] = {false};
    assert_true(made_inputs_describe(&problem, made));
    problem_describe(&problem, MEMORY_LAYOUT_PADDED, &abi);
    struct assay_tensor *table = &abi.tensors[1];
    int32_t *data = table->data = arena_alloc(&arena, (size_t)tensor_span_bytes(table));
    assert_int_equal(problem.op->fill(&problem, "normal", 7, 1, table, &err), -ERR_INTERNAL);
    made->seed = 7;
    made->set_count = 3;
    made->memory = made->sets = mem_alloc(3 * made->set_bytes);
    for (int32_t i = 0; i < 3 * 32; ++i) memcpy(made->sets + 4 * i, &i, 4);
    made_inputs_add(made);
    assert_ptr_equal(made_inputs_find(&problem), made);
    ++made->user_count;
    made_inputs_release(made);
    assert_int_equal(problem.op->fill(&problem, "large", 7, 1, table, &err), 0); // whatever the distribution
    for (int32_t i = 0; i < 12; ++i)
        assert_int_equal(data[i / 2 * table->stride[0] + i % 2 * table->stride[1]], i);
    for (uint64_t seed = 8; seed < 16; ++seed) {
        assert_int_equal(problem.op->fill(&problem, "normal", seed, 1, table, &err), 0);
        assert_int_equal(data[0] % 32, 0);
        has_seen[data[0] / 32] = true;
    }
    assert_false(has_seen[0]); // that one is of seed 7 alone
    assert_true(has_seen[1] && has_seen[2]);
    made->set_count = 1;
    assert_int_equal(made_inputs_set(made, 9), 0);
    made_inputs_release(made);
    assert_null(made_inputs_find(&problem));
}

// True and False are numbers of a problem that its name spells out.
static void bools(void **state) {
    (void)state;
    static const struct declared_scalar scalars[] = {{.name = "causal", .value = 1, .is_bool = true}};
    static const struct {
        const char *given, *named;
    } rows[] = {
        {"n6/causalTrue", "one/n6"},
        {"n6/causalFalse", "one/n6/causalFalse"},
        {"n6/causalfalse", "one/n6/causalFalse"},
        {"n6/causal1", "one/n6"},
        {"n6/causal0", "one/n6/causalFalse"},
        {"n6/causal2", NULL},
        {"n6/causal", NULL},
        {"n6/causalFalsey", NULL},
    };
    const struct operator_def *op;
    struct problem problem;
    struct err err;
    declared.scalars = scalars;
    declared.scalar_count = 1;
    assert_int_equal(declared_make(&arena, &declared, &op, NULL), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const int code = problem_make(op, rows[i].given, &problem, &err);
        if (!rows[i].named) assert_non_null(strstr(err.text, "behind causal stands True or False"));
        assert_int_equal(code == 0, rows[i].named != NULL);
        if (code == 0) assert_string_equal(problem.name, rows[i].named);
    }
    declared.scalar_count = 0;
}

static void maker(void **state) {
    (void)state;
    struct problem problem = problem_of("default");
    struct declared made;
    const struct operator_def *op;
    struct err err = {0};
    declared_maker(&arena, problem.op, &made);
    assert_int_equal(declared_make(&arena, &made, &op, &err), 0);
    assert_int_equal(made.tensor_count, 3);
    assert_string_equal(made.tensors[0].name, DECLARED_SEED);
    assert_string_equal(made.tensors[1].spec, "int32[n, 2]");
    assert_int_equal(made.tensors[2].access, ASSAY_OUT);
    declared.reference.source = "reference.c";
    assert_int_equal(declared_make(&arena, &declared, &op, &err), -ERR_CONFIG);
    assert_non_null(strstr(err.text, "tensor 'table': 'made' is data of a Python file's function 'inputs'"));
    declared.reference.source = NULL;
}

static int end(void **state) {
    (void)state;
    arena_fini(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts), cmocka_unit_test(sets),
                                       cmocka_unit_test(bools), cmocka_unit_test(maker)};
    return cmocka_run_group_tests(tests, NULL, end);
}
