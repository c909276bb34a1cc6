// SPDX-License-Identifier: Apache-2.0
//
// The parent's table of device kinds agrees with the worker's table of backends, and a kind is found only by
// names of its devices.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/plan/device_kind.h"
#include "control/plan/manifest/manifest.h"
#include "control/plan/suite.h"
#include "op/example.h"
#include "worker/backend/backend.h"

static void test_tables_agree(void **state) {
    (void)state;
    const struct backend *backend;
    size_t kind_count = 0, backend_count = 0;
    while (device_kind_at(kind_count)) ++kind_count;
    for (; (backend = backend_at(backend_count)); ++backend_count) {
        const struct device_kind *kind = device_kind_find(backend->name);
        assert_non_null(kind);
        assert_true(kind->is_accelerator == backend->is_accelerator);
        assert_true(kind->has_clock_lock == (backend->hold_clock != NULL));
        // Both take the same names: one that begins a UUID, or none.
        assert_true(!kind->uuid_prefix == !backend->uuid_prefix);
        if (kind->uuid_prefix) assert_string_equal(kind->uuid_prefix, backend->uuid_prefix);
    }
    assert_int_equal(kind_count, backend_count);
}

static void resolve(const char *name) {
    struct manifest none;
    struct suite suite;
    struct arena arena = {0};
    struct err err = {0};
    manifest_empty(&none);
    if (suite_resolve(&none, name, NULL, &arena, &suite, &err) < 0) fail_msg("%s", err.text);
    assert_true(suite.item_count > 0);
    arena_fini(&arena);
    manifest_fini(&none);
}

static void test_suites_exist(void **state) {
    (void)state;
    const struct device_kind *kind;
    for (size_t i = 0; (kind = device_kind_at(i)); ++i)
        if (kind->suite) resolve(kind->suite);
    const struct operator_def *op;
    for (size_t i = 0; (op = operator_at(&operators_compiled, i)); ++i) {
        resolve(op->cpu_suite);
        resolve(op->gpu_suite);
        resolve(op->check_suite);
    }
}

static void test_every_suite_has_a_name_of_its_own(void **state) {
    (void)state;
    const struct operator_def *op;
    const struct op_suite *suite, *other;
    for (size_t i = 0; (suite = operator_suite_at(&operators_compiled, i, &op)); ++i) {
        resolve(suite->name);
        for (size_t k = 0; k < i && (other = operator_suite_at(&operators_compiled, k, &op)); ++k)
            assert_string_not_equal(suite->name, other->name);
    }
}

static void test_examples_are_of_the_default_operator(void **state) {
    (void)state;
    const char *const problems[] = {OP_EXAMPLE_PROBLEM, OP_EXAMPLE_SMALL, OP_EXAMPLE_EDGE_PROBLEM,
                                    OP_EXAMPLE_OWN_PROBLEM};
    assert_string_equal(OP_EXAMPLE, operator_at(&operators_compiled, 0)->name);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
        struct problem problem;
        assert_int_equal(problem_parse(&operators_compiled, problems[i], &problem, NULL), 0);
        assert_ptr_equal(problem.op, operator_at(&operators_compiled, 0));
    }
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(device_kind_of("cpu")->backend, "cpu");
    assert_string_equal(device_kind_of("cuda")->backend, "cuda");
    assert_string_equal(device_kind_of("cuda:0")->backend, "cuda");
    assert_string_equal(device_kind_of("cuda:GPU-1a2b")->backend, "cuda");
    assert_string_equal(device_kind_of("GPU-1a2b3c4d")->backend, "cuda");
    assert_string_equal(device_kind_of("gpu-1A2B3C4D")->backend, "cuda");
    assert_string_equal(device_kind_of("cuda:gpu-1a2b")->backend, "cuda");
    assert_string_equal(device_kind_of("sim:steady")->backend, "sim");
    assert_true(device_kind_of("sim:steady")->takes_scripts);
    static const char *const unknown[] = {"", ":", "cpu:7", "cpu7", "cp", "abacus:0", "GPU", "gpu_1"};
    const struct backend *backend = NULL;
    struct err err = {0};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
        assert_null(device_kind_of(unknown[i]));
        if (!strstr(unknown[i], "cpu:")) assert_int_equal(backend_of(unknown[i], &backend, &err), -ERR_USAGE);
    }
    static const char *const known[] = {"cpu", "cuda:0", "gpu-1A2B", "GPU-1a2b", "cuda:gpu-1", "sim:steady"};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        assert_int_equal(backend_of(known[i], &backend, &err), 0);
        assert_string_equal(backend->name, device_kind_of(known[i])->backend);
    }
    assert_null(device_kind_find("sim:steady"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_agree),
        cmocka_unit_test(test_suites_exist),
        cmocka_unit_test(test_every_suite_has_a_name_of_its_own),
        cmocka_unit_test(test_examples_are_of_the_default_operator),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
