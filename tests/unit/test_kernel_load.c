// SPDX-License-Identifier: Apache-2.0
//
// What a kernel's state is, and whether it is released: what prepare made, else the problem, which is not the
// kernel's to free.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "op/operator.h"
#include "worker/backend/backend.h"
#include "worker/module/kernel_load.h"

static struct backend no_backend;
static struct device device = {.backend = &no_backend};
static int made; // a state

static int launch(ASSAY_LAUNCH_ARGS) {
    return ASSAY_OK;
}

static int prepare_nothing(ASSAY_PREPARE_ARGS) {
    return ASSAY_OK;
}

// As a kernel does that needs memory and no state.
ASSAY_WORKSPACE(prepare_workspace,
                assay_problem_get(problem, "heads") * assay_problem_get(problem, "seq_k") * 4)

static int prepare_state(ASSAY_PREPARE_ARGS) {
    *state = &made;
    return ASSAY_OK;
}

static int prepare_badly(ASSAY_PREPARE_ARGS) {
    return assay_say(message, ASSAY_FAILED, "no memory");
}

static void release(void *state) {
    (void)state;
}

static const struct assay_problem *problem_of(const char *name) {
    static struct problem_abi abi;
    struct problem problem;
    struct err err = {0};
    if (problem_parse(&operators_compiled, name, &problem, &err) < 0) fail_msg("%s", err.text);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    return &abi.problem;
}

static struct kernel_prepared prepared_by(uint32_t version,
                                          int (*prepare)(const struct assay_problem *,
                                                         const struct assay_env *, void **, size_t *,
                                                         struct assay_message *),
                                          const struct assay_problem *problem) {
    const struct assay_kernel abi = {.struct_size = sizeof abi,
                                     .abi_version = version,
                                     .name = "mine",
                                     .op = "attention",
                                     .backend = "cpu",
                                     .launch = launch,
                                     .prepare = prepare,
                                     .release = release};
    const struct kernel kernel = {.abi = &abi};
    struct kernel_prepared prepared;
    kernel_prepare(&device, &kernel, problem, &prepared);
    return prepared;
}

static void test_problem_is_state(void **state) {
    (void)state;
    const struct assay_problem *problem = problem_of("attention/fp32/b1/h2/s8/d4");
    int (*const without_state[])(const struct assay_problem *, const struct assay_env *, void **, size_t *,
                                 struct assay_message *) = {NULL, prepare_nothing, prepare_workspace};
    for (size_t i = 0; i < sizeof without_state / sizeof *without_state; ++i) {
        const struct kernel_prepared prepared = prepared_by(ASSAY_ABI_VERSION, without_state[i], problem);
        assert_int_equal(prepared.status, ASSAY_OK);
        assert_true(prepared.has_state);
        assert_ptr_equal(prepared.state, problem);
        assert_null(prepared.release);
        assert_int_equal(prepared.workspace_bytes, without_state[i] == prepare_workspace ? 2 * 8 * 4 : 0);
    }
}

static void test_state_of_its_own(void **state) {
    (void)state;
    const struct assay_problem *problem = problem_of("attention/fp32/b1/h2/s8/d4");
    struct kernel_prepared prepared = prepared_by(ASSAY_ABI_VERSION, prepare_state, problem);
    assert_ptr_equal(prepared.state, &made);
    assert_ptr_equal(prepared.release, release);
    prepared = prepared_by(ASSAY_ABI_VERSION, prepare_badly, problem);
    assert_int_equal(prepared.status, ASSAY_FAILED);
    assert_false(prepared.has_state);
    assert_null(prepared.release);
    assert_string_equal(prepared.text, "no memory");
}

// Kernels of version 2 begin with no state, and release is called whatever it is.
static void test_before_version_3(void **state) {
    (void)state;
    const struct assay_problem *problem = problem_of("attention/fp32/b1/h2/s8/d4");
    struct kernel_prepared prepared = prepared_by(2, prepare_nothing, problem);
    assert_null(prepared.state);
    assert_ptr_equal(prepared.release, release);
    prepared = prepared_by(2, NULL, problem);
    assert_null(prepared.state);
    assert_ptr_equal(prepared.release, release);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problem_is_state),
        cmocka_unit_test(test_state_of_its_own),
        cmocka_unit_test(test_before_version_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
