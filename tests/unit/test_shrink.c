// SPDX-License-Identifier: Apache-2.0
//
// Shrinking, with failures that public bug reports describe (tests/cli/field has kernels with them).
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "control/flow/shrink.h"
#include "op/attention/attention_internal.h"
#include "op/gemm/gemm_internal.h"
#include "op_buffers.h"

static uint32_t tries;
static char smallest_failing[PROBLEM_NAME_BYTES];

typedef bool fails_fn(const struct problem *problem);

static int counts(void *arg, const struct problem *problem, struct err *err) {
    (void)err;
    fails_fn *fails;
    memcpy(&fails, arg, sizeof fails);
    const struct problem again = parsed(problem->name); // every problem that is tried exists
    assert_memory_equal(&again, problem, sizeof again);
    ++tries;
    return fails(problem);
}

static bool always(const struct problem *problem) {
    (void)problem;
    return true;
}

static bool never(const struct problem *problem) {
    (void)problem;
    return false;
}

static bool grid_65535(const struct problem *problem) {
    const struct attention_params *p = attention_params_of(problem);
    return p->batch * p->heads * p->seq_q > 65536;
}

static bool group_above_4(const struct problem *problem) {
    const struct attention_params *p = attention_params_of(problem);
    return p->heads / p->heads_kv > 4 && p->heads_kv > 1;
}

static bool key_tail_8(const struct problem *problem) {
    const struct attention_params *p = attention_params_of(problem);
    return p->seq_k > 2 && p->seq_k % 8;
}

static bool head_dim_tail(const struct problem *problem) {
    const struct attention_params *p = attention_params_of(problem);
    return p->head_dim > 8 && p->head_dim % 8 && p->seq_k > 1;
}

static bool split_2048(const struct problem *problem) {
    return attention_params_of(problem)->seq_k > 2048;
}

static bool window_blind(const struct problem *problem) { // needs more queries than keys, and a window
    const struct attention_params *p = attention_params_of(problem);
    return p->window && p->seq_q > p->seq_k;
}

static bool k_tail_16(const struct problem *problem) {
    const struct gemm_params *p = gemm_params_of(problem);
    return p->k % 64 > 33 && p->k % 64 < 48;
}

static const struct {
    const char *name;
    fails_fn *fails;
    const char *smallest;
    uint32_t tries_most;
} cases[] = {
    {"attention/fp16/b7/h12/hkv4/s300/d80/causal_br/qkv_packed", always, "attention/fp16/b1/h1/s1/d1", 20},
    {"attention/fp16/kv_bf16/b7/h12/hkv4/sq300/sk511/d80/dv96/causal_br/window9/mask_bh/bias_h/scale0.3/"
     "softcap2/"
     "out_fp32/bshd/lse",
     always, "attention/fp16/b1/h1/s1/d1", 40},
    {"attention/fp32/b66000/h2/s3/d16", grid_65535, "attention/fp32/b65537/h1/s1/d1", 90},
    {"attention/fp32/b2/h96/hkv4/s65/d64/causal", group_above_4, "attention/fp32/b1/h10/hkv2/s1/d1", 90},
    {"attention/fp32/b1/h2/sq77/sk77/d64", key_tail_8, "attention/fp32/b1/h1/sq1/sk3/d1", 60},
    {"attention/fp32/b1/h2/s65/d100/lse", head_dim_tail, "attention/fp32/b1/h1/sq1/sk2/d9", 80},
    {"attention/fp32/b1/h2/sq33/sk2304/d64", split_2048, "attention/fp32/b1/h1/sq1/sk2049/d1", 80},
    {"attention/fp32/b1/h2/sq191/sk65/d32/causal/window32/lse", window_blind,
     "attention/fp32/b1/h1/sq2/sk1/d1/causal/window1", 80},
    {"gemm/fp32/m65/n129/k104/bt/bias/gelu", k_tail_16, "gemm/fp32/m1/n1/k34", 60},
    {"gemm/bf16/m100/n90/k80/bt/bias/acc/gelu/out_fp32", always, "gemm/bf16/m1/n1/k1", 20},
    {"scale/fp32/n4097/a3", always, "scale/fp32/n1", 5},
};

static int shrink(const struct problem *failing, fails_fn *fails, uint32_t tries_max, struct problem *ret) {
    struct err err = {0};
    const struct shrink limits = {
        .fails = counts, .arg = &fails, .tries_max = tries_max, .deadline_ns = UINT64_MAX};
    tries = 0;
    return shrink_problem(&limits, failing, ret, &err);
}

static void test_smallest(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct problem failing = parsed(cases[i].name);
        struct problem smallest;
        assert_int_equal(shrink(&failing, cases[i].fails, 1000, &smallest), 1);
        if (!str_equal(smallest.name, cases[i].smallest) || tries > cases[i].tries_most)
            fail_msg("%s: %s after %u tries, expected %s after %u at most", cases[i].name, smallest.name,
                     tries, cases[i].smallest, cases[i].tries_most);
    }
}

static void test_nothing_smaller(void **state) {
    (void)state;
    const struct problem smallest = parsed("gemm/fp32/m1/n1/k1"), alone = parsed("gemm/fp32/m9/n1/k1/bias");
    struct problem ret;
    assert_int_equal(shrink(&smallest, always, 100, &ret), 0);
    assert_int_equal(tries, 0);
    assert_int_equal(shrink(&alone, never, 100, &ret), 0);
    assert_int_equal(tries, 7); // 1, 2, 3, 5, then 7 and 8; without the bias
}

static void test_limits(void **state) {
    (void)state;
    const struct problem failing = parsed("attention/fp32/b66000/h2/s3/d16");
    struct problem smallest;
    struct err err = {0};
    assert_int_equal(shrink(&failing, grid_65535, 20, &smallest), 1); // what was found so far
    assert_int_equal(tries, 20);
    fails_fn *fails = grid_65535;
    const struct shrink late = {.fails = counts, .arg = &fails, .tries_max = 40, .deadline_ns = clock_ns()};
    tries = 0;
    assert_int_equal(shrink_problem(&late, &failing, &smallest, &err), 0);
    assert_int_equal(tries, 0);
}

static int interrupted(void *arg, const struct problem *problem, struct err *err) {
    (void)arg;
    return str_equal(problem->name, smallest_failing) ? err_set(err, ERR_CANCELLED, "interrupted") : 1;
}

static void test_an_error_ends_it(void **state) {
    (void)state;
    const struct problem failing = parsed("gemm/fp32/m9/n9/k9");
    struct problem smallest;
    struct err err = {0};
    const struct shrink shrink = {.fails = interrupted, .tries_max = 100, .deadline_ns = UINT64_MAX};
    snprintf(smallest_failing, sizeof smallest_failing, "gemm/fp32/m1/n1/k9");
    assert_int_equal(shrink_problem(&shrink, &failing, &smallest, &err), -ERR_CANCELLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_nothing_smaller),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_an_error_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
