// SPDX-License-Identifier: Apache-2.0
//
// The float64 oracle agrees with the definition written down directly in long double, over every option,
// type, input distribution and memory layout at small shapes; its exponential with libm's; its bits with a
// golden hash, the same for every compiler and instruction set; slices with the complete result.
#include <math.h>
#include <stdio.h>

#include "op/attention/attention_internal.h"
#include "op/attention/device_attention_core.h"
#include "op/dtype.h"
#include "op_buffers.h"

// ---- the definition ----

static long double element(const struct assay_tensor *t, int64_t b, int64_t h, int64_t row, int64_t d) {
    const int64_t coord[] = {b, h, row, d};
    return dtype_load(t->dtype,
                      (const char *)t->data + (size_t)tensor_offset(t, coord) * dtype_bytes(t->dtype));
}

static long double head_factor(const struct assay_tensor *scales, int64_t b, int64_t h) {
    return scales ? ((const float *)scales->data)[b * scales->stride[0] + h * scales->stride[1]] : 1.0L;
}

struct row_result {
    long double out[ATTENTION_HEAD_DIM_MAX], lse;
};

static void define_row(const struct attention_params *p, const struct attention_tensors *t, int64_t b,
                       int64_t h, int64_t row, struct row_result *ret) {
    const int64_t kv = h * p->heads_kv / p->heads;
    const int64_t shift = p->causal == CAUSAL_BOTTOM_RIGHT ? p->seq_k - p->seq_q : 0;
    long double *scores = calloc((size_t)p->seq_k, sizeof *scores), largest = -INFINITY, sum = 0;
    int64_t *keys = calloc((size_t)p->seq_k, sizeof *keys), visible = 0, weighing = 0; // the row sees them
    memset(ret, 0, sizeof *ret);
    for (int64_t j = 0; j < p->seq_k; ++j) {
        if (p->causal != CAUSAL_NONE && j > row + shift) continue;
        if (p->window && j <= row + shift - p->window) continue;
        if (t->mask && element(t->mask, b, h, row, j) == 0) continue;
        keys[visible] = j;
        long double dot = 0;
        for (int64_t d = 0; d < p->head_dim; ++d)
            dot += element(t->q, b, h, row, d) * element(t->k, b, kv, j, d);
        scores[visible] = dot * p->scale * head_factor(t->q_scale, b, h) * head_factor(t->k_scale, b, kv);
        if (p->softcap != 0) scores[visible] = p->softcap * tanhl(scores[visible] / p->softcap);
        if (t->bias) scores[visible] += element(t->bias, b, h, row, j);
        if (scores[visible] > largest) largest = scores[visible];
        weighing += scores[visible] != -INFINITY;
        ++visible;
    }
    for (int64_t j = 0; j < visible; ++j) {
        const long double weight = expl(scores[j] - largest);
        sum += weight;
        for (int64_t d = 0; d < p->head_dim_v; ++d)
            ret->out[d] += weight * element(t->v, b, kv, keys[j], d) * head_factor(t->v_scale, b, kv);
    }
    for (int64_t d = 0; d < p->head_dim_v; ++d) ret->out[d] = visible ? ret->out[d] / sum : 0;
    ret->lse = weighing ? largest + logl(sum) : -INFINITY; // the logarithm of 0
    free(scores);
    free(keys);
}

static void check_close(double got, long double expected, const char *name, const char *distribution,
                        const char *what) {
    if (isinf(expected) && dev_is_faint_infinity(got)) return;
    if (isnan(expected) ? isnan(got) : isinf(expected) ? got == (double)expected : 0) return;
    if (!(fabsl(got - expected) <= 2e-13L * (1 + fabsl(expected))))
        fail_msg("%s %s: %s is %.17g, not %.17Lg", name, distribution, what, got, expected);
}

static void check_problem(const char *name, const char *distribution, enum memory_layout memory_layout) {
    struct op_buffers b;
    op_buffers_init(&b, name, memory_layout);
    op_buffers_fill(&b, distribution, 42);
    op_buffers_oracle(&b, 2);
    struct attention_unpacked at;
    attention_unpack(&b.problem, b.abi.tensors, &at);
    const struct attention_params *p = attention_params_of(&at.problem);
    const struct attention_tensors t = attention_tensors_find(at.tensors, at.tensor_count);
    struct row_result row;
    for (int64_t i = 0; i < p->batch * p->heads * p->seq_q; ++i) {
        define_row(p, &t, i / p->seq_q / p->heads, i / p->seq_q % p->heads, i % p->seq_q, &row);
        for (int64_t d = 0; d < p->head_dim_v; ++d)
            check_close(b.results[0][i * p->head_dim_v + d], row.out[d], name, distribution, "an element");
        if (p->has_lse) check_close(b.results[1][i], row.lse, name, distribution, "a log-sum-exp");
    }
    op_buffers_fini(&b);
}

static void test_options(void **state) {
    (void)state;
    static const char *const names[] = {
        "attention/fp16/b2/h3/s5/d64",
        "attention/fp16/b1/h1/s1/d1",
        "attention/fp32/b1/h2/s67/d24/causal/lse",
        "attention/fp32/b1/h2/sq131/sk70/d17/lse", // two row blocks, two key blocks, nothing even
        "attention/bf16/b1/h4/hkv2/sq9/sk130/d40/causal_br/lse",
        "attention/bf16/b2/h6/hkv3/sq70/sk9/d8/causal_br/lse", // fully masked rows
        "attention/fp16/b1/h2/sq70/sk9/d8/causal/lse",
        "attention/fp16/b1/h2/sq9/sk70/d8/causal/lse/bshd",
        "attention/fp16/b2/h4/hkv1/s33/d80/scale0.7/bshd",
        "attention/fp16/b1/h1/s3/d512/scale2",
        "attention/fp8_e4m3/b2/h4/hkv2/s20/d64/causal/lse",
        "attention/fp16/kv_fp8_e4m3/b1/h4/hkv2/sq3/sk80/d128/lse",
        "attention/fp8_e4m3/kv_fp16/b1/h2/s30/d32",
        "attention/fp32/kv_bf16/b1/h2/s30/d32",
        "attention/fp32/b1/h2/s67/d24/dv40/lse",
        "attention/bf16/b2/h4/hkv2/sq9/sk130/d40/dv17/causal_br/bshd",
        "attention/fp32/b1/h2/s140/d8/causal/window1/lse",
        "attention/fp32/b1/h2/s140/d8/causal/window3", // rows of one tile see keys of two blocks
        "attention/fp32/b1/h2/s200/d8/causal/window65/lse",
        "attention/fp16/b1/h2/sq9/sk200/d8/causal_br/window70/lse",
        "attention/fp32/b1/h2/sq150/sk20/d8/causal/window33/lse", // the last rows are blind
        "attention/fp32/b1/h2/sq70/sk9/d8/causal_br/window4/lse", // the first rows are
        "attention/fp32/b1/h2/s67/d24/softcap0.5/lse",
        "attention/fp16/b1/h2/s67/d24/causal/scale1/softcap30/lse",
        "attention/fp8_e4m3/b2/h4/hkv2/s70/d24/dv8/causal/window20/softcap2/lse",
        "attention/fp32/b2/h2/s67/d24/mask/lse",
        "attention/fp16/b2/h4/hkv2/sq9/sk200/d8/causal_br/mask_b/bshd",
        "attention/fp32/b2/h3/sq150/sk140/d8/dv20/mask_h/lse",
        "attention/bf16/b2/h2/sq140/sk70/d8/causal/window33/mask_bh/softcap3/lse", // blind rows of both kinds
        "attention/fp8_e4m3/b1/h2/s1/d24/mask_bh",
        "attention/fp32/b2/h2/s67/d24/bias/lse",
        "attention/fp16/b2/h4/hkv2/sq9/sk200/d8/causal_br/bias_h/bshd/lse",
        "attention/bf16/b2/h2/sq140/sk70/d8/causal/window33/mask_b/bias_bh/softcap3/lse",
        "attention/fp8_e4m3/b2/h2/s70/d24/bias_b/lse",
        "attention/fp8_e4m3/b2/h2/s70/d24/bias_b/out_bf16/lse",
        "attention/fp32/b2/h3/s67/d24/qkv_packed/lse",
        "attention/fp8_e4m3/b2/h4/hkv2/s70/d40/causal/mask_h/qkv_packed/lse",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        for (int memory_layout = MEMORY_LAYOUT_DENSE; memory_layout < MEMORY_LAYOUT_COUNT; ++memory_layout)
            check_problem(names[i], "normal", (enum memory_layout)memory_layout);
}

static void test_distributions(void **state) {
    (void)state;
    static const char *const names[] = {
        "attention/fp16/b1/h4/s66/d64/lse",
        "attention/fp32/b1/h4/hkv4/s66/d16/causal/lse",
        "attention/bf16/b1/h4/sq20/sk66/d40/causal_br/lse",
        "attention/fp8_e4m3/b1/h4/s66/d64/causal",
        "attention/fp16/kv_fp8_e4m3/b1/h4/hkv2/s66/d64",
        "attention/fp16/b1/h4/s1/d64",
        "attention/fp32/b1/h4/s66/d16/dv24/causal/window20/softcap5/lse",
        "attention/fp32/b1/h4/s66/d16/mask_h/lse",
        "attention/fp16/b1/h4/s66/d16/causal/mask/bias_bh/lse",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        for (const char *const *distribution = attention_distributions; *distribution; ++distribution) {
            const struct problem problem = parsed(names[i]);
            if (attention_distribution_applies(&problem, *distribution))
                check_problem(names[i], *distribution, MEMORY_LAYOUT_DENSE);
        }
}

// ---- NaN and infinity, exact results: by hand ----

static void test_masked_nan_contributes_nothing(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp32/b1/h1/s4/d8/causal/lse", MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, "normal", 1);
    for (int d = 0; d < 8; ++d) {
        ((float *)b.abi.tensors[1].data)[2 * 8 + d] = NAN;      // key 2
        ((float *)b.abi.tensors[2].data)[3 * 8 + d] = INFINITY; // value 3
    }
    op_buffers_oracle(&b, 1);
    for (int i = 0; i < 16; ++i) assert_true(isfinite(b.results[0][i])); // rows 0 and 1
    for (int i = 16; i < 32; ++i) assert_true(isnan(b.results[0][i]));
    assert_true(isfinite(b.results[1][1]) && isnan(b.results[1][2]));
    op_buffers_fini(&b);
}

// What a mask hides contributes nothing either; a row of which it hides all is 0.
static void test_masked_by_tensor(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp32/b1/h1/sq3/sk70/d8/mask/lse", MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, "normal", 1);
    struct assay_tensor *mask = &b.abi.tensors[3];
    for (int j = 0; j < 70; ++j)
        for (int row = 0; row < 3; ++row)
            ((int8_t *)mask->data)[row * mask->stride[2] + j] = row == 0 ? j == 66 : row == 1 && j != 65;
    for (int d = 0; d < 8; ++d) {
        ((float *)b.abi.tensors[1].data)[65 * 8 + d] = NAN; // K and V of key 65
        ((float *)b.abi.tensors[2].data)[65 * 8 + d] = NAN;
    }
    op_buffers_oracle(&b, 1);
    for (int d = 0; d < 8; ++d) {
        assert_true(b.results[0][d] == (double)((float *)b.abi.tensors[2].data)[66 * 8 + d]);
        assert_true(isfinite(b.results[0][8 + d]) && b.results[0][16 + d] == 0);
    }
    assert_true(isfinite(b.results[1][0]) && isfinite(b.results[1][1]) && b.results[1][2] == -INFINITY);
    op_buffers_fini(&b);
}

// A score of -infinity weighs nothing, even in the first key block; a row of them only is NaN, as 0 / 0 is.
static void test_minus_infinity_scores(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp32/b1/h1/sq2/sk130/d1/scale1", MEMORY_LAYOUT_DENSE);
    float *q = b.abi.tensors[0].data, *k = b.abi.tensors[1].data, *v = b.abi.tensors[2].data;
    const int64_t pitch = b.abi.tensors[0].stride[2];
    q[0] = 1, q[pitch] = INFINITY;
    for (int64_t j = 0; j < 130; ++j) {
        k[j * pitch] = j == 129 ? -3 : -INFINITY;
        v[j * pitch] = (float)j;
    }
    op_buffers_oracle(&b, 1);
    assert_true(b.results[0][0] == 129);
    assert_true(isnan(b.results[0][1]));
    op_buffers_fini(&b);
}

static void test_exact_family_is_exact(void **state) {
    (void)state;
    static const char *const names[] = {
        "attention/fp16/b1/h2/sq5/sk129/d64", "attention/fp8_e4m3/b1/h2/s130/d64/causal",
        "attention/bf16/b1/h2/sq9/sk7/d64/causal_br", "attention/fp16/b1/h2/sq5/sk129/d64/mask",
        "attention/bf16/b1/h2/sq5/sk129/d64/bias"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        struct op_buffers b;
        op_buffers_init(&b, names[i], MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "exact", 9);
        op_buffers_oracle(&b, 2);
        bool has_nonzero = false;
        for (uint64_t e = 0; e < tensor_element_count(&b.abi.tensors[b.abi.tensor_count - 1]); ++e) {
            assert_true(b.results[0][e] == nearbyint(b.results[0][e]) && fabs(b.results[0][e]) <= 8);
            has_nonzero |= b.results[0][e] != 0;
        }
        assert_true(has_nonzero);
        op_buffers_fini(&b);
    }
}

// An infinity of V stays one, also where its weight is less than a type holds; then it may be NaN as well.
static void test_faint_infinities(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool has_faint;
    } cases[] = {{"attention/fp32/b1/h4/s65/d64", false},
                 {"attention/bf16/b1/h4/s65/d64/scale0.5", false},
                 {"attention/fp16/b1/h4/s65/d64/scale0.5", true},
                 {"attention/fp32/b1/h4/s65/d64/scale10", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct op_buffers b;
        op_buffers_init(&b, cases[i].name, MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "inf", 42);
        op_buffers_oracle(&b, 2);
        uint64_t faint = 0, infinite = 0, special = 0;
        for (uint64_t e = 0; e < 65 * 64; ++e) { // of head 2, whose V has the infinity
            const double value = b.results[0][2 * 65 * 64 + e];
            faint += dev_is_faint_infinity(value) != 0, infinite += isinf(value) != 0;
            special += isfinite(value) == 0;
        }
        assert_true(infinite > 0 && special == 65 && infinite + faint == special);
        assert_int_equal(faint > 0, cases[i].has_faint);
        op_buffers_fini(&b);
    }
}

// ---- the exponential ----

static void test_exp(void **state) {
    (void)state;
    double worst = 0, values[64], inputs[64];
    uint64_t word = 1;
    for (int block = 0; block < 20000; ++block) {
        for (int i = 0; i < 64; ++i) {
            word = word * 6364136223846793005U + 1442695040888963407U;
            const double uniform = (double)(word >> 11) * 0x1p-53;
            inputs[i] = values[i] = block % 4 == 0   ? -uniform
                                    : block % 4 == 1 ? -uniform * 40
                                                     : -uniform * 708;
            if (block % 4 == 3) inputs[i] = values[i] = -ldexp(uniform, -(int)(word % 60));
        }
        attention_exp_row(values, 64);
        for (int i = 0; i < 64; ++i) {
            const long double expected = expl(inputs[i]);
            const double ulps =
                (double)(fabsl(values[i] - expected) / dtype_ulp(ASSAY_FP64, (double)expected));
            if (ulps > worst) worst = ulps;
        }
    }
    if (!(worst < 1.1)) fail_msg("exp is %.3f units in the last place off", worst);
    double special[8] = {0, -0.0, -INFINITY, -1e300, -708.1, NAN, -5e-324, -707.9};
    attention_exp_row(special, 8);
    assert_true(special[0] == 1 && special[1] == 1 && special[6] == 1);
    assert_true(special[2] == 0 && special[3] == 0 && special[4] == 0);
    assert_true(isnan(special[5]) && special[7] > 0);
}

// ---- the same bits everywhere ----

static uint64_t results_hash(const double *values, uint64_t count) {
    uint64_t hash = 14695981039346656037U; // FNV-1a over the bits
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> 8 * byte & 0xff)) * 1099511628211U;
    }
    return hash;
}

// Inputs without any library function, so that the hash depends on the oracle's arithmetic alone.
static void fill_plainly(struct op_buffers *b) {
    for (uint32_t i = 0; i < 3; ++i) {
        float *data = b->abi.tensors[i].data;
        uint32_t word = 12345 + i;
        for (uint64_t e = 0; e < tensor_span_bytes(&b->abi.tensors[i]) / 4; ++e) {
            word = word * 1664525U + 1013904223U;
            data[e] = (float)((int32_t)(word >> 8) - (1 << 23)) * 0x1p-22F;
        }
    }
}

static void test_golden_bits(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp32/b1/h2/sq150/sk203/d28/causal_br", MEMORY_LAYOUT_DENSE);
    fill_plainly(&b);
    op_buffers_oracle(&b, 2);
    assert_int_equal(results_hash(b.results[0], 2 * 150 * 28), UINT64_C(0x902ad3c7001d0217));
    op_buffers_fini(&b);
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    struct op_buffers one, two;
    op_buffers_init(&one, "attention/fp16/b2/h2/s300/d64/lse", MEMORY_LAYOUT_DENSE);
    op_buffers_init(&two, "attention/fp16/b2/h2/s300/d64/lse/bshd", MEMORY_LAYOUT_PADDED);
    op_buffers_fill(&one, "normal", 7);
    op_buffers_fill(&two, "normal", 7);
    op_buffers_oracle(&one, 1);
    op_buffers_oracle(&two, 2);
    assert_memory_equal(one.results[0], two.results[0], sizeof(double) * 4 * 300 * 64);
    assert_memory_equal(one.results[1], two.results[1], sizeof(double) * 4 * 300);
    op_buffers_fini(&one);
    op_buffers_fini(&two);
}

// Q, K and V are the same wherever they lie, and so are the results.
static void test_packed_is_as_apart(void **state) {
    (void)state;
    static const char *const distributions[] = {"normal", "exact", "nan", "sharp"};
    for (int f = 0; f < 4; ++f) {
        struct op_buffers packed, apart;
        op_buffers_init(&packed, "attention/fp8_e4m3/b2/h4/hkv2/s70/d24/causal/mask/qkv_packed/lse",
                        MEMORY_LAYOUT_PADDED);
        op_buffers_init(&apart, "attention/fp8_e4m3/b2/h4/hkv2/s70/d24/causal/mask/bshd/lse",
                        MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&packed, distributions[f], 7);
        op_buffers_fill(&apart, distributions[f], 7);
        op_buffers_oracle(&packed, 2);
        op_buffers_oracle(&apart, 2);
        assert_memory_equal(packed.results[0], apart.results[0], sizeof(double) * 2 * 4 * 70 * 24);
        assert_memory_equal(packed.results[1], apart.results[1], sizeof(double) * 2 * 4 * 70);
        op_buffers_fini(&packed);
        op_buffers_fini(&apart);
    }
}

// ---- slices ----

static void check_slice(const struct op_buffers *whole, uint64_t group, uint64_t row) {
    const struct operator_def *op = whole->problem.op;
    const struct attention_params *p = attention_params_of(&whole->problem);
    struct op_slice slice;
    op->slice(&whole->problem, whole->abi.tensors, group, row, &slice);
    if (attention_visible(p, (int64_t)row) <= attention_first_key(p, (int64_t)row)) {
        assert_int_equal(slice.tensor_count, 0);
        return;
    }
    problem_rename(&slice.problem);
    const struct problem again = parsed(slice.problem.name);
    assert_memory_equal(&again, &slice.problem, sizeof again);
    double *results[2] = {calloc((size_t)p->head_dim_v, sizeof(double)), calloc(1, sizeof(double))};
    const struct assay_cpu_stream stream = {sizeof stream, 1, parallel_two};
    struct err err = {0};
    assert_int_equal(op->oracle(&slice.problem, slice.tensors, results, &stream, &err), 0);
    for (uint32_t k = 0; k < whole->output_count; ++k) {
        assert_int_equal(slice.output_count[k], k == 0 ? p->head_dim_v : 1);
        const double *expected = whole->results[k] + slice.output_offset[k];
        if (!p->window) // else its keys lie in other blocks, so that sums are made of other parts
            assert_memory_equal(results[k], expected, slice.output_count[k] * sizeof(double));
        for (uint64_t i = 0; i < slice.output_count[k]; ++i)
            check_close(results[k][i], (long double)expected[i], whole->problem.name, "slice", "an element");
        assert_null(slice.tensors[slice.tensor_count - whole->output_count + k].data);
    }
    free(results[0]);
    free(results[1]);
}

// Some rows of a head as one problem, where each sees the same.
static void check_slice_of_rows(const struct op_buffers *whole, uint64_t group) {
    const struct operator_def *op = whole->problem.op;
    const struct attention_params *p = attention_params_of(&whole->problem);
    const uint64_t rows[] = {0, 2, 3, (uint64_t)p->seq_q - 1};
    const struct op_rows some = {group, rows, sizeof rows / sizeof *rows};
    const struct assay_cpu_stream stream = {sizeof stream, 1, parallel_two};
    const bool is_alike = p->causal == CAUSAL_NONE && !p->mask && !p->bias;
    double *results[] = {calloc(some.count * (size_t)p->head_dim_v, sizeof(double)),
                         calloc(some.count, sizeof(double))};
    struct op_slice slice;
    struct err err = {0};
    void *memory = NULL;
    assert_int_equal(op->slice_rows(&whole->problem, whole->abi.tensors, &some, &slice, &memory), is_alike);
    if (is_alike) assert_int_equal(op->oracle(&slice.problem, slice.tensors, results, &stream, &err), 0);
    for (uint32_t k = 0; is_alike && k < whole->output_count; ++k)
        for (size_t r = 0; r < some.count; ++r) {
            const uint64_t count = slice.output_count[k];
            assert_int_equal(count, k == 0 ? p->head_dim_v : 1);
            assert_memory_equal(results[k] + r * count,
                                whole->results[k] + slice.output_offset[k] + rows[r] * count,
                                count * sizeof(double));
        }
    free(memory);
    free(results[0]);
    free(results[1]);
}

static void test_slices_equal_the_whole(void **state) {
    (void)state;
    static const char *const names[] = {
        "attention/fp16/b2/h4/hkv2/s70/d40/lse",
        "attention/fp32/b1/h2/sq70/sk131/d64/causal_br/bshd/lse",
        "attention/bf16/b1/h2/sq70/sk30/d64/causal_br/lse", // blind rows
        "attention/fp8_e4m3/b2/h4/hkv2/s70/d64/causal/scale0.3",
        "attention/fp16/kv_fp8_e4m3/b2/h4/hkv2/sq7/sk70/d64/bshd",
        "attention/fp32/b1/h4/hkv2/s70/d24/dv40/causal/softcap2/lse",
        "attention/fp32/b1/h2/sq150/sk100/d24/dv8/causal/window33/lse", // blind rows
        "attention/fp16/b2/h4/hkv2/s70/d24/causal/mask_bh/lse",
        "attention/fp32/b2/h2/s100/d8/causal/window33/mask_b/bshd/lse",
        "attention/fp16/b2/h2/s100/d8/causal/window33/mask/bias_bh/lse",
        "attention/fp32/b2/h4/hkv2/s70/d8/bias_h",
        "attention/fp8_e4m3/b1/h2/s70/d8/out_bf16",
        "attention/fp16/b2/h4/hkv2/s70/d24/causal/bias_b/qkv_packed/lse",
        "attention/fp8_e4m3/b1/h2/s70/d8/qkv_packed",
        "attention/fp16/b2/h4/hkv2/sq9/sk70/d24/dv8/bshd/lse",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        struct op_buffers b;
        op_buffers_init(&b, names[i], i % 2 ? MEMORY_LAYOUT_PADDED : MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "normal", 5);
        op_buffers_oracle(&b, 2);
        uint64_t groups, rows;
        b.problem.op->slice_counts(&b.problem, &groups, &rows);
        for (uint64_t g = 0; g < groups; ++g)
            for (uint64_t row = 0; row < rows; ++row) check_slice(&b, g, row);
        for (uint64_t g = 0; g < groups; ++g) check_slice_of_rows(&b, g);
        op_buffers_check_rows(&b, 1 + i % 3);
        op_buffers_fini(&b);
    }
}

#define ROWS_MAX 20000 // counts beyond 65535 are many rows of the same

// Every case of the boundary matrix has a definite reference: NaN and infinity only where the input
// distribution puts them.
static void test_boundary_references(void **state) {
    (void)state;
    static const char *const dtypes[] = {"fp16", "fp32", "bf16", "fp8_e4m3"};
    const struct operator_def *op = operator_find(&operators_compiled, "attention");
    struct arena arena = {0};
    for (size_t t = 0; t < 4; ++t) {
        const struct op_cases cases = problem_boundary(op, dtypes[t], &arena);
        for (size_t i = 0; i < cases.count; ++i) {
            const struct op_case *c = &cases.items[i];
            const struct attention_params *p = attention_params_of(&c->problem);
            const uint64_t count = (uint64_t)(p->batch * p->heads * p->seq_q * p->head_dim_v);
            struct op_buffers b;
            if (p->batch * p->heads * p->seq_q > ROWS_MAX) continue;
            op_buffers_init(&b, c->problem.name, c->memory_layout);
            op_buffers_fill(&b, c->distribution, 42);
            op_buffers_oracle(&b, 2);
            uint64_t special = 0, nonzero = 0;
            for (uint64_t e = 0; e < count; ++e) {
                special += isfinite(b.results[0][e]) ? 0 : 1;
                nonzero += b.results[0][e] != 0 ? 1 : 0;
            }
            const bool has_special = str_equal(c->distribution, "nan") || str_equal(c->distribution, "inf");
            if (has_special != (special > 0) || special * 10 > count * 9 || nonzero == 0)
                fail_msg("%s %s: %d of %d special", c->problem.name, c->distribution, (int)special,
                         (int)count);
            op_buffers_fini(&b);
        }
    }
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_masked_nan_contributes_nothing),
        cmocka_unit_test(test_masked_by_tensor),
        cmocka_unit_test(test_minus_infinity_scores),
        cmocka_unit_test(test_exact_family_is_exact),
        cmocka_unit_test(test_faint_infinities),
        cmocka_unit_test(test_exp),
        cmocka_unit_test(test_golden_bits),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_packed_is_as_apart),
        cmocka_unit_test(test_slices_equal_the_whole),
        cmocka_unit_test(test_boundary_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
