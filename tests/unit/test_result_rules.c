// SPDX-License-Identifier: Apache-2.0
//
// Results that a rule of their text judges: how many steps off, which picks, what is used. Just inside and
// just outside of each limit.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "worker/backend/backend.h"
#include "worker/check/result_rules.h"
#include "worker/check/result_used.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { X, LENGTHS, Q, F8, F4, VALUES, PICKS, KEPT, TENSORS };
enum { INPUTS = Q };

static struct arena arena;
static struct device *device;
static struct case_buffers *buffers;
static double *right[TENSORS - INPUTS];
static struct tensor_verdict verdict;

static int open_device(void **state) {
    (void)state;
    return device_open(&(struct device_request){.device = "cpu"}, &device, NULL);
}

static int close_device(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

static void put(int tensor, uint64_t index, double value) {
    const struct assay_tensor *to = &buffers->host[tensor];
    dtype_store(to->dtype, tensor_element_at(to, index), value);
}

// All results are as the reference has them: q = 10.25 in 8 rows of 1000, the largest three of each row of x.
static int open_case(void **state) {
    (void)state;
    static const struct declared_axis axes[] = {{"rows", "8"}, {"n", "1000"}, {"k", "3"}};
    static const struct declared_tensor tensors[TENSORS] = {
        [X] = {"x", "fp32[rows, n] zeros", ASSAY_IN},
        [LENGTHS] = {"lengths", "int32[rows] lengths(n)", ASSAY_IN},
        [Q] = {"q", "int8[rows, n] steps(1)", ASSAY_OUT},
        [F8] = {"f8", "fp8_e4m3[rows, n]", ASSAY_OUT},
        [F4] = {"f4", "fp4_e2m1x2[rows, n] steps(1)", ASSAY_OUT},
        [VALUES] = {"values", "bf16[rows, k]", ASSAY_OUT},
        [PICKS] = {"picks", "int32[rows, k] picks(x, values)", ASSAY_OUT},
        [KEPT] = {"kept", "int8[rows, n] used(lengths) steps(1)", ASSAY_OUT},
    };
    static const struct declared declared = {
        .name = "one", .axes = axes, .axis_count = 3, .tensors = tensors, .tensor_count = TENSORS};
    const struct operator_def *op;
    struct problem problem;
    struct err err = {0};
    if (declared_make(&arena, &declared, &op, &err) < 0 || problem_make(op, "default", &problem, &err) < 0)
        fail_msg("%s", err.text);
    const struct case_memory memory = {.memory_layout = MEMORY_LAYOUT_PADDED};
    buffers = mem_alloc(sizeof *buffers);
    assert_int_equal(case_buffers_init(buffers, device, &problem, &memory, &err), 0);
    assert_int_equal(case_buffers_fill(buffers, OP_DISTRIBUTION_DEFAULT, 1, &err), 0);
    static const double results[TENSORS] = {[Q] = 10.25, [F8] = 10.25, [F4] = 0x27, [KEPT] = 10.25};
    for (int i = INPUTS; i < TENSORS; ++i) {
        const uint64_t count = tensor_element_count(&buffers->host[i]);
        right[i - INPUTS] = mem_alloc(count * sizeof(double));
        for (uint64_t e = 0; e < count; ++e) {
            right[i - INPUTS][e] = results[i];
            put(i, e, results[i]);
        }
    }
    for (uint64_t r = 0; r < 8; ++r) {
        put(LENGTHS, r, 500);
        for (uint64_t j = 0; j < 3; ++j) { // 3, 2 and 2, of which there are others
            const double value = j ? 2 : 3;
            put(X, r * 1000 + 10 * j, value);
            put(X, r * 1000 + 10 * j + 500, j ? 2 : 1);
            put(PICKS, r * 3 + j, 10 * (double)j);
            put(VALUES, r * 3 + j, value);
            right[PICKS - INPUTS][r * 3 + j] = 10 * (double)j;
            right[VALUES - INPUTS][r * 3 + j] = value;
        }
    }
    return 0;
}

static int close_case(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(right); ++i) free(right[i]);
    case_buffers_fini(buffers);
    free(buffers);
    arena_fini(&arena);
    return 0;
}

static bool has_rule(int tensor) {
    bool ret;
    assert_int_equal(result_rules_compare(buffers, (const double *const *)right, (uint32_t)(tensor - INPUTS),
                                          &ret, &verdict, NULL),
                     0);
    return ret;
}

static bool passes(int tensor) {
    assert_true(has_rule(tensor));
    assert_int_equal(verdict.is_passed, !verdict.error.failed_count);
    assert_int_equal(verdict.is_passed, !verdict.why[0]);
    return verdict.is_passed;
}

static void expect(int tensor, const char *why) {
    if (passes(tensor)) fail_msg("passes, not: %s", why);
    assert_string_equal(verdict.why, why);
}

static void shares(void **state) {
    (void)state;
    assert_true(passes(Q));
    for (uint64_t i = 0; i < 8; ++i) put(Q, 1000 * i + i, i % 2 ? 11 : 9); // 1 in 1000
    assert_true(passes(Q));
    put(Q, 999, 11); // one more
    expect(Q, "'q'[0][0] is 9, expected 10.25: 1 step of int8 off, as 9 of 8000 elements are");
    for (uint64_t i = 1; i < 8; ++i) put(Q, 1000 * i + i, 10);
    assert_true(passes(Q));
    for (uint64_t i = 0; i < 8; ++i) put(Q, i, 11); // 9 in all, of one row
    assert_false(passes(Q));
    put(Q, 999, 10);
    assert_true(passes(Q)); // 8 of 1000
    put(Q, 0, 12);
    expect(Q, "'q'[0][0] is 12, expected 10.25: 2 steps of int8 off, as 1 of 8000 elements are");
}

static void rows(void **state) {
    (void)state;
    for (uint64_t r = 0; r < 8; ++r) put(LENGTHS, r, 0);
    put(LENGTHS, 3, 2);
    put(KEPT, 3001, 11);
    assert_true(passes(KEPT)); // one of two
    put(KEPT, 3000, 11);
    expect(KEPT, "'kept'[3][0] is 11, expected 10.25: 1 step of int8 off, as 2 of 2 elements are");
    put(LENGTHS, 3, 1); // what is used is all wrong
    put(KEPT, 3001, 10);
    assert_false(passes(KEPT));
    put(LENGTHS, 3, 0);
    assert_true(passes(KEPT));
}

// Where the reference is in the middle of two, both are right, whatever their number.
static void middles(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 8000; ++i) right[Q - INPUTS][i] = 10.5, put(Q, i, i % 2 ? 10 : 11);
    assert_true(passes(Q));
    for (uint64_t i = 0; i < 8000; ++i) right[Q - INPUTS][i] = 10.5 + 4e-6;
    assert_true(passes(Q));
    for (uint64_t i = 0; i < 8000; ++i) right[Q - INPUTS][i] = 10.5 + 4e-5;
    assert_false(passes(Q));
    for (uint64_t i = 0; i < 8000; ++i) right[Q - INPUTS][i] = 200, put(Q, i, 127);
    assert_true(passes(Q));
}

static void floats(void **state) {
    (void)state;
    const struct assay_tensor *f8 = &buffers->host[F8], *f4 = &buffers->host[F4];
    unsigned char *const byte = f8->data, *const pair = f4->data;
    assert_true(passes(F8) && *byte == 0x52);
    *byte = 0x53;
    assert_true(passes(F8));
    *byte = 0x54;
    expect(F8, "'f8'[0][0] is 12, expected 10.25: 2 steps of fp8_e4m3 off, as 1 of 8000 elements are");
    right[F8 - INPUTS][0] = -0.0009; // of both signs of 0
    *byte = 0x00;
    assert_true(passes(F8));
    *byte = 0x02;
    assert_false(passes(F8));
    assert_true(passes(F4));
    *pair = 0x36; // both numbers one step off
    assert_true(passes(F4));
    *pair = 0x47;
    assert_false(passes(F4));
    for (uint64_t i = 0; i < 1000; ++i) put(F4, i, 0x37);
    assert_false(passes(F4));
}

// A tolerance of the kernel's own takes the place of steps.
static void own_tolerance(void **state) {
    (void)state;
    struct own_tolerance own = own_tolerance_unknown();
    buffers->tolerances[0] = &own;
    put(Q, 0, 100);
    assert_false(passes(Q));
    own.atol = 1;
    assert_false(has_rule(Q));
    assert_true(passes(PICKS));
    buffers->tolerances[0] = NULL;
}

static void pick(int a, int b, int c) {
    const int picks[] = {a, b, c};
    for (uint64_t j = 0; j < 3; ++j) {
        put(PICKS, 6 + j, picks[j]);
        if (picks[j] < 0 || picks[j] > 999) continue;
        const struct assay_tensor *x = &buffers->host[X];
        put(VALUES, 6 + j, dtype_load(x->dtype, tensor_element_at(x, 2000 + (uint64_t)picks[j])));
    }
}

static void picks(void **state) {
    (void)state;
    assert_true(passes(PICKS));
    pick(510, 0, 520); // other places, in another order
    assert_true(passes(PICKS));
    pick(0, 10, 10);
    expect(PICKS, "'picks'[2][2] is 10, as [2][1] is: no index may be there twice");
    pick(0, 10, 500);
    expect(PICKS, "'picks'[2][2] is 500 and picks 'x'[2][500] = 1, and 2 is missing");
    pick(20, 10, 510);
    expect(PICKS, "'picks'[2][2] is 510 and picks 'x'[2][510] = 2, and 3 is missing");
    pick(0, 10, 1000);
    expect(PICKS, "'picks'[2][2] is 1000, and 'x' has indices from 0 to 999");
    pick(-1, 0, 10);
    expect(PICKS, "'picks'[2][0] is -1, and 'x' has indices from 0 to 999");
    right[PICKS - INPUTS][8] = -1; // of the reference there is one missing, too
    assert_true(passes(PICKS));
    pick(0, 10, 20);
    expect(PICKS, "'picks'[2][2] is 20 and picks 'x'[2][20] = 2, and nothing is missing");
    right[PICKS - INPUTS][8] = 20;
    put(VALUES, 7, 2.5);
    expect(PICKS, "'values'[2][1] is 2.5, and 'picks'[2][1] picks 'x'[2][10] = 2");
    pick(0, 10, 20);
    put(X, 2010, 2.001), put(X, 2020, NAN); // rounded in `values`
    put(VALUES, 8, NAN);
    assert_true(passes(PICKS));
    put(PICKS, 6, 0x5a5ac501);
    assert_false(passes(PICKS));
    assert_int_equal(verdict.unwritten_count, 1);
    assert_int_equal(verdict.first_unwritten, 6);
}

static void unused(void **state) {
    (void)state;
    const struct assay_tensor *kept = &buffers->host[KEPT];
    put(LENGTHS, 1, 1000);
    put(LENGTHS, 2, -1);
    put(LENGTHS, 3, 1001);
    put(LENGTHS, 4, 0);
    result_used_clear(buffers->problem.op, buffers->host, buffers->tensor_count);
    static const uint64_t used[] = {500, 1000, 1000, 1000, 0, 500, 500, 500};
    for (uint64_t r = 0; r < 8; ++r)
        for (uint64_t i = 0; i < 1000; ++i)
            if (*(int8_t *)tensor_element_at(kept, r * 1000 + i) != (i < used[r] ? 10 : 0))
                fail_msg("%d %d", (int)r, (int)i);
    assert_int_equal(*(int8_t *)tensor_element_at(&buffers->host[Q], 999), 10);
    const struct operator_def *op = buffers->problem.op;
    assert_int_equal(result_used_element(op, buffers->host, KEPT, 499), 499);
    assert_int_equal(result_used_element(op, buffers->host, KEPT, 999), 499);
    assert_int_equal(result_used_element(op, buffers->host, KEPT, 1999), 1999);
    assert_int_equal(result_used_element(op, buffers->host, KEPT, 4500), RESULT_NONE_USED);
    assert_int_equal(result_used_element(op, buffers->host, Q, 999), 999);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_case, close_case)
int main(void) {
    const struct CMUnitTest tests[] = {CASE(shares),        CASE(rows),  CASE(middles), CASE(floats),
                                       CASE(own_tolerance), CASE(picks), CASE(unused)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
