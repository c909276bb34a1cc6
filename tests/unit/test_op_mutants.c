// SPDX-License-Identifier: Apache-2.0
//
// Mutants give the wrong results that their names say: attention's against the definition with the keys that
// the wrong kernel would see, the shared ones against the right results. None applies where the mistake
// cannot be made.
#include <math.h>
#include <stdio.h>

#include "op/attention/attention_internal.h"
#include "op/dtype.h"
#include "op/mutant.h"
#include "op_buffers.h"

struct made {
    struct op_buffers buffers;
    struct assay_cpu_stream stream;
    struct mutant_case at;
    double *stale[OP_TENSORS_MAX], *outputs[OP_TENSORS_MAX];
};

static int run_oracle(const struct mutant_case *at, const struct problem *problem,
                      const struct assay_tensor *given, double *const *outputs, struct err *err) {
    return problem->op->oracle(problem, given, outputs, at->stream, err);
}

static void made_init(struct made *m, const char *name, const char *distribution) {
    memset(m, 0, sizeof *m);
    op_buffers_init(&m->buffers, name, MEMORY_LAYOUT_PADDED);
    op_buffers_fill(&m->buffers, distribution, 7);
    op_buffers_oracle(&m->buffers, 2);
    m->stream = (struct assay_cpu_stream){sizeof m->stream, 2, parallel_two};
    m->at = (struct mutant_case){.problem = &m->buffers.problem,
                                 .distribution = distribution,
                                 .seed = 7,
                                 .tensors = m->buffers.abi.tensors,
                                 .input_count = m->buffers.abi.tensor_count - m->buffers.output_count,
                                 .output_count = m->buffers.output_count,
                                 .right = m->buffers.results,
                                 .stream = &m->stream,
                                 .oracle = run_oracle};
    for (uint32_t k = 0; k < m->at.output_count; ++k) {
        const size_t bytes = tensor_element_count(mutant_output(&m->at, k)) * sizeof(double);
        m->stale[k] = malloc(bytes);
        m->outputs[k] = malloc(bytes);
    }
    struct err err;
    if (mutant_make_stale(&m->at, m->stale, &err) < 0) fail_msg("%s", err.text);
    m->at.stale = m->stale;
}

static void made_fini(struct made *m) {
    for (uint32_t k = 0; k < m->at.output_count; ++k) {
        free(m->stale[k]);
        free(m->outputs[k]);
    }
    op_buffers_fini(&m->buffers);
}

static uint64_t count_of(const struct made *m, uint32_t k) {
    return tensor_element_count(mutant_output(&m->at, k));
}

// False: it does not apply.
static bool make(struct made *m, const char *name) {
    const struct mutant *mutant = NULL, *one;
    for (size_t i = 0; (one = mutant_at(m->buffers.problem.op, i)); ++i)
        if (strcmp(one->name, name) == 0) mutant = one;
    if (!mutant) fail_msg("no mutant %s", name);
    if (mutant->applies && !mutant->applies(&m->at)) return false;
    for (uint32_t k = 0; k < m->at.output_count; ++k)
        memcpy(m->outputs[k], m->at.right[k], count_of(m, k) * sizeof(double));
    struct err err;
    if (mutant->make(&m->at, m->outputs, &err) < 0) fail_msg("%s: %s", name, err.text);
    return true;
}

// ---- attention, from the definition ----

static double element(const struct assay_tensor *t, int64_t b, int64_t h, int64_t row, int64_t d) {
    const int64_t coord[] = {b, h, row, d};
    return dtype_load(t->dtype,
                      (const char *)t->data + (size_t)tensor_offset(t, coord) * dtype_bytes(t->dtype));
}

// How often row `row` of the wrong kernel sees key `key`, which may lie behind the last one (a key of zeros).
typedef int (*sees_fn)(const struct attention_params *p, int64_t row, int64_t key);

struct wrong {
    sees_fn sees;
    double scale;
    bool is_interleaved;
};

static double score(const struct made *m, const struct wrong *wrong, int64_t b, int64_t h, int64_t row,
                    int64_t key) {
    const struct attention_params *p = attention_params_of(&m->buffers.problem);
    const struct attention_tensors t =
        attention_tensors_find(m->buffers.abi.tensors, m->buffers.abi.tensor_count);
    const int64_t kv = wrong->is_interleaved ? h % p->heads_kv : h / (p->heads / p->heads_kv);
    double dot = 0;
    for (int64_t d = 0; d < p->head_dim && key < p->seq_k; ++d)
        dot += element(t.q, b, h, row, d) * element(t.k, b, kv, key, d);
    return dot * wrong->scale;
}

static void check_row(const struct made *m, const struct wrong *wrong, const int64_t place[3],
                      const char *name) {
    const struct attention_params *p = attention_params_of(&m->buffers.problem);
    const struct attention_tensors t =
        attention_tensors_find(m->buffers.abi.tensors, m->buffers.abi.tensor_count);
    const int64_t b = place[0], h = place[1], row = place[2];
    const int64_t kv = wrong->is_interleaved ? h % p->heads_kv : h / (p->heads / p->heads_kv);
    double out[ATTENTION_HEAD_DIM_MAX] = {0}, sum = 0;
    for (int64_t key = 0; key < p->seq_k + 64; ++key) {
        const double weight = wrong->sees(p, row, key) * exp(score(m, wrong, b, h, row, key));
        sum += weight;
        for (int64_t d = 0; d < p->head_dim && key < p->seq_k; ++d)
            out[d] += weight * element(t.v, b, kv, key, d);
    }
    const int64_t index = (b * p->heads + h) * p->seq_q + row;
    for (int64_t d = 0; d < p->head_dim; ++d) {
        const double expected = sum > 0 ? out[d] / sum : 0, got = m->outputs[0][index * p->head_dim + d];
        if (!(fabs(got - expected) <= 1e-9))
            fail_msg("%s of %s: head %lld row %lld is %.12g, not %.12g", name, m->buffers.problem.name,
                     (long long)h, (long long)row, got, expected);
    }
    const double lse = sum > 0 ? log(sum) : -INFINITY;
    if (p->has_lse && !(m->outputs[1][index] == lse || fabs(m->outputs[1][index] - lse) <= 1e-9))
        fail_msg("%s of %s: log-sum-exp of row %lld is %.12g, not %.12g", name, m->buffers.problem.name,
                 (long long)row, m->outputs[1][index], lse);
}

static int as_it_is(const struct attention_params *p, int64_t row, int64_t key) {
    return key < attention_visible(p, row);
}

static int one_more(const struct attention_params *p, int64_t row, int64_t key) {
    const int64_t shift = p->causal == CAUSAL_BOTTOM_RIGHT ? p->seq_k - p->seq_q : 0;
    return key < p->seq_k && key <= row + shift + 1;
}

static int one_less(const struct attention_params *p, int64_t row, int64_t key) {
    const int64_t shift = p->causal == CAUSAL_BOTTOM_RIGHT ? p->seq_k - p->seq_q : 0;
    return key < p->seq_k && key <= row + shift - 1;
}

static int everything(const struct attention_params *p, int64_t row, int64_t key) {
    (void)row;
    return key < p->seq_k;
}

static int other_corner(const struct attention_params *p, int64_t row, int64_t key) {
    const int64_t shift = p->causal == CAUSAL_TOP_LEFT ? p->seq_k - p->seq_q : 0;
    return key < p->seq_k && key <= row + shift;
}

static int without_middle(const struct attention_params *p, int64_t row, int64_t key) {
    return as_it_is(p, row, key) && key != p->seq_k / 2;
}

static int middle_twice(const struct attention_params *p, int64_t row, int64_t key) {
    return as_it_is(p, row, key) * (key == p->seq_k / 2 ? 2 : 1);
}

static int without_last(const struct attention_params *p, int64_t row, int64_t key) {
    return as_it_is(p, row, key) && key != p->seq_k - 1;
}

static int without_tail(const struct attention_params *p, int64_t row, int64_t key) {
    const int64_t tile = p->seq_k > 64 && p->seq_k % 64 ? 64 : 16;
    return as_it_is(p, row, key) && key < p->seq_k / tile * tile;
}

static int with_zeros(const struct attention_params *p, int64_t row, int64_t key) {
    const int64_t shift = p->causal == CAUSAL_BOTTOM_RIGHT ? p->seq_k - p->seq_q : 0;
    const bool is_masked = p->causal != CAUSAL_NONE && key > row + shift;
    return !is_masked && key < (p->seq_k + 63) / 64 * 64;
}

static void test_attention(void **state) {
    (void)state;
    static const char *const names[] = {
        "attention/fp32/b2/h2/s65/d8/lse",           "attention/fp16/b1/h4/hkv2/s20/d16/causal/lse",
        "attention/fp16/b1/h2/sq9/sk33/d8/causal",   "attention/fp32/b1/h2/sq9/sk33/d8/causal_br/lse",
        "attention/bf16/b1/h1/sq33/sk9/d8/causal",   "attention/bf16/b1/h1/sq33/sk9/d8/causal_br/lse",
        "attention/fp32/b1/h6/hkv3/s17/d8/bshd/lse", "attention/fp32/b1/h2/sq5/sk1/d8/lse",
    };
    static const struct {
        const char *name;
        sees_fn sees;
    } mutants[] = {
        {"mask_one_more", one_more},   {"mask_one_less", one_less},     {"mask_missing", everything},
        {"mask_corner", other_corner}, {"key_lost", without_middle},    {"last_key_lost", without_last},
        {"key_twice", middle_twice},   {"key_tail_lost", without_tail}, {"key_tail_unmasked", with_zeros},
        {"uniform_weights", as_it_is}, {"scale_negated", as_it_is},     {"scale_missing", as_it_is},
        {"exp2_for_exp", as_it_is},    {"kv_head_wrong", as_it_is},
    };
    size_t made_count[sizeof mutants / sizeof mutants[0]] = {0};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
        struct made m;
        made_init(&m, names[n], "normal");
        const struct attention_params *p = attention_params_of(&m.buffers.problem);
        for (size_t i = 0; i < sizeof mutants / sizeof mutants[0]; ++i) {
            const char *name = mutants[i].name;
            struct wrong wrong = {.sees = mutants[i].sees, .scale = p->scale};
            if (strcmp(name, "uniform_weights") == 0) wrong.scale = 0;
            if (strcmp(name, "scale_negated") == 0) wrong.scale = -p->scale;
            if (strcmp(name, "scale_missing") == 0) wrong.scale = 1;
            if (strcmp(name, "exp2_for_exp") == 0) wrong.scale = p->scale * log(2);
            wrong.is_interleaved = strcmp(name, "kv_head_wrong") == 0;
            if (!make(&m, name)) continue;
            ++made_count[i];
            for (int64_t r = 0; r < p->batch * p->heads * p->seq_q; ++r)
                check_row(&m, &wrong,
                          (int64_t[]){r / p->seq_q / p->heads, r / p->seq_q % p->heads, r % p->seq_q}, name);
        }
        made_fini(&m);
    }
    for (size_t i = 0; i < sizeof mutants / sizeof mutants[0]; ++i)
        if (!made_count[i]) fail_msg("%s was never made", mutants[i].name);
}

static void test_where_they_apply(void **state) {
    (void)state;
    struct made m;
    made_init(&m, "attention/fp16/b1/h1/s64/d8", "normal");
    static const char *const never[] = {
        "mask_one_more",  "mask_one_less",     "mask_missing",  "mask_corner",   "key_tail_lost",
        "row_tail_stale", "key_tail_unmasked", "heads_swapped", "kv_head_wrong", "first_scales",
        "window_missing", "softcap_missing",   "mask_ignored",  "mask_inverted", "mask_first",
        "bias_missing",   "bias_scaled",       "bias_first",    "packed_by_head"};
    for (size_t i = 0; i < sizeof never / sizeof never[0]; ++i) assert_false(make(&m, never[i]));
    made_fini(&m);
}

// Those of the fields are the results of the problem without the field; keys are not lost under a window.
static void test_fields(void **state) {
    (void)state;
    static const char *const pairs[][3] = {
        {"window_missing", "attention/fp32/b1/h2/s65/d8/causal/window5/lse",
         "attention/fp32/b1/h2/s65/d8/causal/lse"},
        {"softcap_missing", "attention/fp32/b1/h2/s65/d8/softcap2/lse", "attention/fp32/b1/h2/s65/d8/lse"},
        {"mask_ignored", "attention/fp32/b1/h2/s65/d8/causal/mask_h/lse",
         "attention/fp32/b1/h2/s65/d8/causal/lse"},
        {"bias_missing", "attention/fp32/b2/h2/s65/d8/causal/bias_bh/lse",
         "attention/fp32/b2/h2/s65/d8/causal/lse"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        struct made with, without;
        made_init(&with, pairs[i][1], "normal");
        made_init(&without, pairs[i][2], "normal");
        assert_true(make(&with, pairs[i][0]));
        for (uint32_t k = 0; k < 2; ++k) {
            const size_t bytes = count_of(&with, k) * sizeof(double);
            assert_memory_equal(with.outputs[k], without.at.right[k], bytes);
            assert_memory_not_equal(with.at.right[k], without.at.right[k], bytes);
        }
        assert_int_equal(make(&with, "key_lost"), i == 1);
        made_fini(&with);
        made_fini(&without);
    }
}

// Heads and batch entries with the first one's mask or bias: those that have another are wrong.
static void test_first_masks_and_biases(void **state) {
    (void)state;
    static const struct {
        const char *mutant, *problem;
        bool is_right[4]; // by batch entry and head
    } cases[] = {
        {"mask_first", "attention/fp32/b2/h2/s65/d8/mask_h", {true, false, true, false}},
        {"mask_first", "attention/fp32/b2/h2/s65/d8/mask_b", {true, true, false, false}},
        {"bias_first", "attention/fp32/b2/h2/s65/d8/bias_bh", {true, false, false, false}},
        {"packed_by_head", "attention/fp32/b2/h2/s65/d8/qkv_packed", {false, false, false, false}},
        {"uniform_weights", "attention/fp32/b2/h2/s65/d8/qkv_packed", {false, false, false, false}},
        {"bias_scaled", "attention/fp32/b2/h2/s65/d8/bias", {false, false, false, false}},
        {"mask_inverted", "attention/fp32/b2/h2/s65/d8/mask", {false, false, false, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct made m;
        made_init(&m, cases[i].problem, "normal");
        assert_true(make(&m, cases[i].mutant));
        for (size_t head = 0; head < 4; ++head)
            assert_int_equal(memcmp(m.outputs[0] + head * 65 * 8, m.at.right[0] + head * 65 * 8,
                                    65 * 8 * sizeof(double)) == 0,
                             cases[i].is_right[head]);
        made_fini(&m);
    }
    struct made m;
    made_init(&m, "attention/fp32/b2/h2/s65/d8/mask/bias", "normal"); // the same for all
    assert_false(make(&m, "mask_first") || make(&m, "bias_first"));
    made_fini(&m);
}

static void test_heads_and_scales(void **state) {
    (void)state;
    struct made m;
    made_init(&m, "attention/fp8_e4m3/b1/h2/s70/d8/lse", "normal");
    const uint64_t half = count_of(&m, 0) / 2;
    assert_true(make(&m, "heads_swapped"));
    assert_memory_equal(m.outputs[0], m.at.right[0] + half, half * sizeof(double));
    assert_memory_equal(m.outputs[0] + half, m.at.right[0], half * sizeof(double));
    assert_memory_equal(m.outputs[1], m.at.right[1] + 70, 70 * sizeof(double));
    assert_true(make(&m, "first_scales")); // the first head has its own
    assert_memory_equal(m.outputs[0], m.at.right[0], half * sizeof(double));
    assert_memory_not_equal(m.outputs[0] + half, m.at.right[0] + half, half * sizeof(double));
    assert_true(make(&m, "row_tail_stale"));
    for (uint64_t i = 0; i < 2 * half; ++i)
        assert_true(m.outputs[0][i] == (i / 8 % 70 < 64 ? m.at.right : m.at.stale)[0][i]);
    for (uint64_t i = 0; i < 140; ++i)
        assert_true(m.outputs[1][i] == (i % 70 < 64 ? m.at.right : m.at.stale)[1][i]);
    made_fini(&m);
}

// ---- shared ----

static void test_rows(void **state) {
    (void)state;
    struct made m;
    made_init(&m, "attention/fp16/b1/h2/s4/d8/lse", "normal");
    static const struct {
        const char *name;
        uint64_t row; // of 8
    } rows[] = {{"first_row_stale", 0}, {"last_row_stale", 7}, {"one_row_stale", 6}};
    for (size_t n = 0; n < 3; ++n) {
        assert_true(make(&m, rows[n].name));
        for (uint64_t i = 0; i < 64; ++i)
            assert_true(m.outputs[0][i] == (i / 8 == rows[n].row ? m.at.stale : m.at.right)[0][i]);
        for (uint64_t i = 0; i < 8; ++i)
            assert_true(m.outputs[1][i] == (i == rows[n].row ? m.at.stale : m.at.right)[1][i]);
    }
    assert_true(make(&m, "last_element_stale"));
    assert_memory_equal(m.outputs[0], m.at.right[0], 63 * sizeof(double));
    assert_true(m.outputs[0][63] == m.at.stale[0][63]);
    made_fini(&m);
}

// An operator without slices and with one row: its rows are elements.
static void test_without_slices(void **state) {
    (void)state;
    struct made m;
    made_init(&m, "scale/fp32/n5", "normal");
    assert_true(make(&m, "one_row_stale"));
    for (int i = 0; i < 5; ++i) assert_true(m.outputs[0][i] == (i == 2 ? m.at.stale : m.at.right)[0][i]);
    assert_true(make(&m, "stale"));
    assert_memory_equal(m.outputs[0], m.at.stale[0], 5 * sizeof(double));
    assert_true(m.at.stale[0][0] != m.at.right[0][0]);
    assert_true(make(&m, "zeros"));
    for (int i = 0; i < 5; ++i) assert_true(m.outputs[0][i] == 0);
    assert_true(make(&m, "row_mean"));
    double mean = 0;
    for (int i = 0; i < 5; ++i) mean += m.at.right[0][i] / 5;
    for (int i = 0; i < 5; ++i) assert_true(fabs(m.outputs[0][i] - mean) < 1e-12);
    assert_true(make(&m, "input_copied"));
    for (int i = 0; i < 5; ++i) assert_true(2 * m.outputs[0][i] == m.at.right[0][i]);
    assert_true(make(&m, "factor_twice"));
    for (int i = 0; i < 5; ++i) assert_true(m.outputs[0][i] == 2 * m.at.right[0][i]);
    made_fini(&m);
    made_init(&m, "scale/fp32/n5/a1", "normal");
    assert_false(make(&m, "factor_twice"));
    made_fini(&m);
}

static void test_rounding(void **state) {
    (void)state;
    assert_true(mutant_round(1 + 0x1p-10, 11) == 1 + 0x1p-10);
    assert_true(mutant_round(1 + 0x1p-11, 11) == 1); // ties to even
    assert_true(mutant_round(1 + 0x3p-11, 11) == 1 + 0x1p-9);
    assert_true(mutant_round(-1.75, 2) == -2 && mutant_round(0, 3) == 0 && mutant_round(1.3, 53) == 1.3);
    assert_true(isnan(mutant_round(NAN, 8)) && mutant_round(-INFINITY, 8) == -INFINITY);
    struct made m;
    made_init(&m, "scale/fp16/n100/a1", "normal");
    assert_true(make(&m, "rounded_outputs"));
    for (int i = 0; i < 100; ++i) assert_true(m.outputs[0][i] == mutant_round(m.at.right[0][i], 8));
    assert_true(make(&m, "rounded_inputs"));
    for (int i = 0; i < 100; ++i) assert_true(m.outputs[0][i] == mutant_round(m.at.right[0][i], 8));
    made_fini(&m);
    // The log-sum-exp is fp32, but the problem is not; scales of fp8 are read as they are.
    made_init(&m, "attention/fp8_e4m3/b1/h1/s9/d8/lse", "normal");
    assert_true(make(&m, "rounded_outputs"));
    for (int i = 0; i < 9; ++i) assert_true(m.outputs[1][i] == mutant_round(m.at.right[1][i], 3));
    made_fini(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attention), cmocka_unit_test(test_where_they_apply),
        cmocka_unit_test(test_fields),    cmocka_unit_test(test_heads_and_scales),
        cmocka_unit_test(test_rows),      cmocka_unit_test(test_without_slices),
        cmocka_unit_test(test_rounding),  cmocka_unit_test(test_first_masks_and_biases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
