// SPDX-License-Identifier: Apache-2.0
//
// Inputs follow docs/operators.md for every distribution, are the same on every call and in every layout,
// and stay within their elements; the cheap normal deviates are normal.
#include <math.h>

#include "op/attention/attention_internal.h"
#include "op/dtype.h"
#include "op/random_normal.h"
#include "op_buffers.h"

static double element(const struct assay_tensor *t, uint64_t dense_index) {
    int64_t coord[ASSAY_MAX_DIMS];
    tensor_coord(t, dense_index, coord);
    return dtype_load(t->dtype,
                      (const char *)t->data + (size_t)tensor_offset(t, coord) * dtype_bytes(t->dtype));
}

static void test_normal_deviates(void **state) {
    (void)state;
    size_t bytes;
    const struct normal_table *table = normal_table_shared(&bytes);
    const double *edge = table->edge;
    assert_true(edge[512] == 0 && edge[0] == -4 && edge[1024] == 4);
    assert_true(fabs(edge[1024 * 3 / 4] - 0.67448975) < 1e-7);
    assert_true(fabs(edge[1000] - 1.987427886) < 1e-7); // tail branch, p = 1000/1024
    for (int k = 0; k < NORMAL_BIN_COUNT; ++k) assert_true(edge[k] < edge[k + 1]);
    struct normal_source source;
    normal_source_init(&source, 42, 7);
    enum { COUNT = 1 << 20 };
    double *values = malloc(COUNT * sizeof *values), sum = 0, squares = 0, neighbours = 0;
    normal_row(&source, 0, COUNT, values);
    for (int i = 0; i < COUNT; ++i) {
        assert_true(fabs(values[i]) < NORMAL_MAX);
        sum += values[i];
        squares += values[i] * values[i];
        neighbours += i ? values[i] * values[i - 1] : 0;
    }
    assert_true(fabs(sum / COUNT) < 4e-3);
    assert_true(fabs(squares / COUNT - 1.0025) < 6e-3);
    assert_true(fabs(neighbours / COUNT) < 4e-3);
    double part[9]; // any stretch is the same numbers
    for (uint64_t first = 0; first < 50; ++first)
        for (size_t count = 0; count < 9; ++count) {
            normal_row(&source, first, count, part);
            assert_memory_equal(part, values + first, count * sizeof *part);
        }
    free(values);
}

static void check_same_values(const struct op_buffers *a, const struct op_buffers *b) {
    for (uint32_t i = 0; i < a->abi.tensor_count; ++i) {
        const struct assay_tensor *x = &a->abi.tensors[i], *y = &b->abi.tensors[i];
        if (x->access != ASSAY_IN) continue;
        for (uint64_t e = 0; e < tensor_element_count(x); ++e) {
            const double left = element(x, e), right = element(y, e);
            assert_memory_equal(&left, &right, sizeof left);
        }
    }
}

static void test_same_call_same_bytes(void **state) {
    (void)state;
    static const char *const distributions[] = {
        "normal", "huge_logits",   "outlier_row", "equal_scores", "subnormal", "nan",         "sink",
        "exact",  "very_negative", "mixed",       "rising",       "sharp",     "nonzero_mean"};
    static const char *const names[][2] = {
        {"attention/fp16/b2/h4/hkv2/sq3/sk9/d17", "attention/fp16/b2/h4/hkv2/sq3/sk9/d17/bshd"},
        {"attention/fp8_e4m3/b2/h4/s5/d24/lse", "attention/fp8_e4m3/b2/h4/s5/d24/bshd/lse"},
        {"attention/fp16/b2/h2/sq3/sk9/d8/mask_b/bias_h",
         "attention/fp16/b2/h2/sq3/sk9/d8/mask_b/bias_h/bshd"},
        {"attention/fp16/b2/h4/hkv2/s5/d24/qkv_packed", "attention/fp16/b2/h4/hkv2/s5/d24/qkv_packed"},
    };
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
        for (size_t f = 0; f < sizeof distributions / sizeof distributions[0]; ++f) {
            struct op_buffers b[3];
            op_buffers_init(&b[0], names[n][0], MEMORY_LAYOUT_DENSE);
            op_buffers_init(&b[1], names[n][0], MEMORY_LAYOUT_OFFSET);
            op_buffers_init(&b[2], names[n][1], MEMORY_LAYOUT_PADDED);
            for (int i = 0; i < 3; ++i) op_buffers_fill(&b[i], distributions[f], 11);
            check_same_values(&b[0], &b[1]);
            check_same_values(&b[0], &b[2]);
            const uint64_t bytes = tensor_span_bytes(&b[0].abi.tensors[0]);
            unsigned char *before = malloc(bytes);
            memcpy(before, b[0].abi.tensors[0].data, bytes);
            op_buffers_fill(&b[0], distributions[f], 11);
            assert_memory_equal(before, b[0].abi.tensors[0].data, bytes);
            op_buffers_fill(&b[0], distributions[f], 12);
            assert_memory_not_equal(before, b[0].abi.tensors[0].data, bytes);
            free(before);
            for (int i = 0; i < 3; ++i) op_buffers_fini(&b[i]);
        }
}

// Whatever is not an element still holds the pattern.
static void test_gaps_stay(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp16/b2/h2/s3/d17/bshd", MEMORY_LAYOUT_PADDED);
    op_buffers_fill(&b, "normal", 1);
    for (uint32_t i = 0; i < 3; ++i) {
        const struct assay_tensor *t = &b.abi.tensors[i];
        const uint64_t span = tensor_span_bytes(t);
        unsigned char *is_element = calloc(span, 1);
        for (uint64_t e = 0; e < tensor_element_count(t); ++e) {
            int64_t coord[ASSAY_MAX_DIMS];
            tensor_coord(t, e, coord);
            memset(is_element + 2 * tensor_offset(t, coord), 1, 2);
        }
        for (uint64_t byte = 0; byte < span; ++byte)
            if (!is_element[byte]) assert_int_equal(((unsigned char *)t->data)[byte], 0xa5);
        free(is_element);
    }
    op_buffers_fini(&b);
}

// ---- input distributions ----

// Largest and smallest scaled score of a row, over all rows.
struct score_range {
    double largest, smallest, spread_max;
};

static struct score_range score_range(const struct op_buffers *b) {
    const struct attention_params *p = attention_params_of(&b->problem);
    const struct attention_tensors t = attention_tensors_find(b->abi.tensors, b->abi.tensor_count);
    struct score_range range = {-INFINITY, INFINITY, 0};
    for (int64_t h = 0; h < p->heads; ++h)
        for (int64_t i = 0; i < p->seq_q; ++i) {
            double row_max = -INFINITY, row_min = INFINITY;
            for (int64_t j = 0; j < p->seq_k; ++j) {
                double score = 0;
                for (int64_t d = 0; d < p->head_dim; ++d)
                    score += element(t.q, (uint64_t)((h * p->seq_q + i) * p->head_dim + d)) *
                             element(t.k, (uint64_t)((h * p->seq_k + j) * p->head_dim + d));
                score *= p->scale * (t.q_scale ? ((const float *)t.q_scale->data)[h] : 1) *
                         (t.k_scale ? ((const float *)t.k_scale->data)[h] : 1);
                row_max = fmax(row_max, score), row_min = fmin(row_min, score);
            }
            range.largest = fmax(range.largest, row_max), range.smallest = fmin(range.smallest, row_min);
            range.spread_max = fmax(range.spread_max, row_max - row_min);
        }
    return range;
}

static void test_scores_of_distributions(void **state) {
    (void)state;
    static const char *const names[] = {"attention/fp16/b1/h2/s40/d64", "attention/fp32/b1/h2/s40/d64",
                                        "attention/bf16/b1/h2/s40/d64", "attention/fp8_e4m3/b1/h2/s40/d64",
                                        "attention/fp16/kv_fp8_e4m3/b1/h2/s40/d64"};
    static const struct {
        const char *distribution;
        double largest_min, largest_max, spread_min, spread_max; // of all scores; within a row
    } wanted[] = {
        {"normal", 2, 8, 3, 12},
        {"huge_logits", 1000, 8000, 2000, 16000},
        {"outlier_row", 20, 1500, 40, 3000},
        {"equal_scores", 0.5, 8, 0, 0},
        {"subnormal", 0.2, 2, 0.3, 3},
        {"sink", 9, 16, 8, 20},
        {"exact", 0.5, 8, 0, 0},
        {"normal4", 10, 24, 14, 40},
        {"normal10", 25, 60, 35, 100},
        {"rising", 10, 18, 22, 34},
        {"sharp", 22, 60, 24, 80},
    };
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n)
        for (size_t f = 0; f < sizeof wanted / sizeof wanted[0]; ++f) {
            struct op_buffers b;
            op_buffers_init(&b, names[n], MEMORY_LAYOUT_DENSE);
            op_buffers_fill(&b, wanted[f].distribution, 3);
            const struct score_range r = score_range(&b);
            if (!(r.largest >= wanted[f].largest_min && r.largest <= wanted[f].largest_max &&
                  r.spread_max >= wanted[f].spread_min && r.spread_max <= wanted[f].spread_max))
                fail_msg("%s %s: scores up to %g, spread %g", names[n], wanted[f].distribution, r.largest,
                         r.spread_max);
            op_buffers_fini(&b);
        }
}

// mixed: the deviation of the scores differs from head to head, between 0.5 and 16.
static void test_mixed_heads(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp32/b1/h32/s24/d64", MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, "mixed", 5);
    const struct assay_tensor *q = &b.abi.tensors[0];
    double least = INFINITY, most = 0;
    for (uint64_t head = 0; head < 32; ++head) {
        double squares = 0;
        for (uint64_t e = 0; e < 24 * 64; ++e) squares += pow(element(q, head * 24 * 64 + e), 2);
        least = fmin(least, sqrt(squares / (24 * 64)));
        most = fmax(most, sqrt(squares / (24 * 64)));
    }
    assert_true(least > 0.45 && least < 1 && most > 8 && most < 17);
    op_buffers_fini(&b);
}

// Best and second best scaled score of query row i of head h.
static void best_scores(const struct op_buffers *b, int64_t h, int64_t i, double ret[2]) {
    const struct attention_params *p = attention_params_of(&b->problem);
    const struct attention_tensors t = attention_tensors_find(b->abi.tensors, b->abi.tensor_count);
    const int64_t head_kv = h / (p->heads / p->heads_kv);
    ret[0] = ret[1] = -INFINITY;
    for (int64_t j = 0; j < attention_visible(p, i); ++j) {
        double score = 0;
        for (int64_t d = 0; d < p->head_dim; ++d)
            score += element(t.q, (uint64_t)((h * p->seq_q + i) * p->head_dim + d)) *
                     element(t.k, (uint64_t)((head_kv * p->seq_k + j) * p->head_dim + d));
        score *= p->scale * (t.q_scale ? ((const float *)t.q_scale->data)[h] : 1) *
                 (t.k_scale ? ((const float *)t.k_scale->data)[head_kv] : 1);
        ret[1] = fmax(ret[1], fmin(score, ret[0]));
        ret[0] = fmax(ret[0], score);
    }
}

// Every row has one best score, with the others so far below it that no rounding counts. They are as deep in
// fp16 as in fp32: in odd heads no number of fp16 is.
static void test_very_negative(void **state) {
    (void)state;
    static const char *const names[] = {
        "attention/fp32/b1/h4/hkv2/s40/d64/causal", "attention/bf16/b1/h2/s40/d128",
        "attention/fp16/b1/h2/s40/d64/causal",      "attention/fp8_e4m3/b1/h2/s40/d64/causal",
        "attention/fp16/kv_fp8_e4m3/b1/h2/s40/d64", "attention/fp32/b1/h2/s3/d1/scale0.01/causal",
        "attention/fp16/b1/h2/s200/d8/scale0.01",   "attention/fp32/b1/h2/sq1/sk1/d256"};
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        struct op_buffers b;
        op_buffers_init(&b, names[n], MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "very_negative", 3);
        const struct attention_params *p = attention_params_of(&b.problem);
        for (int64_t h = 0; h < p->heads; ++h)
            for (int64_t i = 0; i < p->seq_q; ++i) {
                const double unit = 16384.0 * (h % 2 ? 8 : 2); // or down to half of it
                const bool sees_last = attention_visible(p, i) == p->seq_k && p->seq_k > 1;
                const double most = sees_last ? unit : 2 * unit;
                double best[2];
                best_scores(&b, h, i, best);
                if (best[0] < -most || best[0] > -most / 2 || best[0] - best[1] < unit / 2)
                    fail_msg("%s: head %d, row %d: %g, then %g", names[n], (int)h, (int)i, best[0], best[1]);
            }
        op_buffers_fini(&b);
    }
    const struct problem flat = parsed("attention/fp8_e4m3/b1/h1/s2/d8/scale0.0001"); // needs 17000 in Q
    assert_false(attention_distribution_applies(&flat, "very_negative"));
}

static void test_subnormal_keys(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double smallest_normal;
    } cases[] = {{"attention/fp16/b1/h1/s20/d64", 0x1p-14},
                 {"attention/bf16/b1/h1/s20/d64", 0x1p-126},
                 {"attention/fp32/b1/h1/s20/d64", 0x1p-126},
                 {"attention/fp8_e4m3/b1/h1/s20/d64", 0x1p-6}};
    for (size_t i = 0; i < 4; ++i) {
        struct op_buffers b;
        op_buffers_init(&b, cases[i].name, MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "subnormal", 3);
        int subnormal = 0;
        for (uint64_t e = 0; e < 20 * 64; ++e) {
            assert_true(isfinite(element(&b.abi.tensors[0], e)));
            subnormal += fabs(element(&b.abi.tensors[1], e)) < cases[i].smallest_normal;
        }
        assert_true(subnormal > 20 * 64 * 9 / 10);
        op_buffers_fini(&b);
    }
    const struct problem odd = parsed("attention/fp16/kv_bf16/b1/h1/s2/d8");
    assert_false(attention_distribution_applies(&odd, "subnormal"));
}

// One NaN in one head of Q, one of K, one of V; the fourth head is ordinary.
static void test_nan_positions(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp8_e4m3/b1/h4/s8/d16", MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, "nan", 3);
    for (uint64_t i = 0; i < 3; ++i) {
        int count = 0;
        for (uint64_t e = 0; e < 4 * 8 * 16; ++e)
            if (isnan(element(&b.abi.tensors[i], e))) {
                assert_int_equal(e, (i * 8 + 4) * 16 + 8);
                ++count;
            }
        assert_int_equal(count, 1);
    }
    op_buffers_fini(&b);
}

static void test_fp8_scales(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp8_e4m3/b2/h4/hkv2/s64/d64", MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, "normal", 3);
    const float *scales = b.abi.tensors[3].data;
    for (int i = 0; i < 8; ++i) {
        assert_true(scales[i] >= 1.0F / 96 && scales[i] <= 1.0F / 32);
        assert_true(i == 0 || scales[i] != scales[0]);
    }
    double squares = 0, largest = 0;
    for (uint64_t e = 0; e < 8 * 64 * 64; ++e) {
        const double value = element(&b.abi.tensors[0], e);
        largest = fmax(largest, fabs(value));
        squares += value * value * (double)scales[e / 4096] * (double)scales[e / 4096];
    }
    assert_true(largest > 200 && largest < 448);
    assert_true(fabs(squares / (8 * 64 * 64) - 1) < 0.03);
    op_buffers_fini(&b);
}

// A mask shows and hides keys, tiles of 64 and whole rows, never the first row; each head's is another.
static double mean_value(const struct assay_tensor *t, const struct assay_tensor *scales) {
    const uint64_t count = tensor_element_count(t), head_elements = (uint64_t)(t->shape[2] * t->shape[3]);
    double sum = 0;
    for (uint64_t e = 0; e < count; ++e)
        sum += element(t, e) * (scales ? ((const float *)scales->data)[e / head_elements] : 1);
    return sum / (double)count;
}

static void test_nonzero_mean(void **state) {
    (void)state;
    static const char *const names[] = {"attention/fp16/b1/h2/s96/d64", "attention/fp8_e4m3/b1/h2/s96/d64"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
        struct op_buffers b;
        op_buffers_init(&b, names[n], MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "nonzero_mean", 5);
        const struct attention_tensors t = attention_tensors_find(b.abi.tensors, b.abi.tensor_count);
        assert_true(fabs(mean_value(t.q, t.q_scale)) < 0.1 && fabs(mean_value(t.k, t.k_scale)) < 0.1);
        assert_true(fabs(mean_value(t.v, t.v_scale) - 2) < 0.1);
        for (uint64_t e = 0; e < tensor_element_count(t.v); ++e) assert_true(fabs(element(t.v, e)) < 448);
        op_buffers_fini(&b);
    }
}

static void test_masks(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "attention/fp32/b2/h2/sq200/sk300/d8/mask_bh", MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, "normal", 3);
    const struct assay_tensor *mask = assay_tensor_named(&b.abi.problem.tensors, "mask");
    int shown = 0, blind = 0, hidden_tiles = 0;
    for (int64_t i = 0; i < 2 * 2 * 200; ++i) {
        const int8_t *row = (const int8_t *)assay_row(mask, i / 400, i / 200 % 2, i % 200);
        int row_shown = 0, in_tile[5] = {0};
        for (int j = 0; j < 300; ++j) {
            assert_true(row[j] == 0 || row[j] == 1);
            row_shown += row[j], in_tile[j / 64] += row[j];
        }
        for (int tile = 0; tile < 5; ++tile) hidden_tiles += row_shown && !in_tile[tile];
        assert_true(row_shown || i % 200);
        blind += !row_shown;
        shown += row_shown;
    }
    assert_in_range(blind, 20, 90); // 50 of 800
    assert_in_range(shown, 130000, 160000);
    assert_in_range(hidden_tiles, 300, 1100);
    assert_memory_not_equal(assay_row(mask, 0, 0, 0), assay_row(mask, 0, 1, 0), 300);
    assert_memory_not_equal(assay_row(mask, 0, 0, 0), assay_row(mask, 1, 0, 0), 300);
    op_buffers_fini(&b);
}

// Biases: deviates; nothing where scores are exact; infinities, but not of the first key, where there are
// some.
static void test_biases(void **state) {
    (void)state;
    static const char *const distributions[] = {"normal", "huge_logits", "exact", "very_negative", "inf"};
    struct op_buffers b;
    op_buffers_init(&b, "attention/bf16/b1/h2/sq20/sk300/d8/bias_h", MEMORY_LAYOUT_DENSE);
    const struct assay_tensor *bias = &b.abi.tensors[3];
    for (int f = 0; f < 5; ++f) {
        op_buffers_fill(&b, distributions[f], 3);
        double sum = 0, squares = 0;
        int infinities = 0;
        for (uint64_t e = 0; e < 2 * 20 * 300; ++e) {
            const double value = element(bias, e);
            assert_true(isfinite(value) || (value == -INFINITY && e % 300));
            infinities += !isfinite(value);
            sum += isfinite(value) ? value : 0, squares += isfinite(value) ? value * value : 0;
        }
        const double count = 2 * 20 * 300 - infinities;
        assert_true(fabs(sum / count) < 0.04);
        assert_true(f > 0 && f < 4 ? squares == 0 : fabs(squares / count - 1) < 0.05);
        if (f == 4)
            assert_in_range(infinities, 1200, 1800);
        else
            assert_int_equal(infinities, 0);
    }
    op_buffers_fini(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_deviates), cmocka_unit_test(test_same_call_same_bytes),
        cmocka_unit_test(test_gaps_stay),       cmocka_unit_test(test_scores_of_distributions),
        cmocka_unit_test(test_very_negative),   cmocka_unit_test(test_subnormal_keys),
        cmocka_unit_test(test_nan_positions),   cmocka_unit_test(test_fp8_scales),
        cmocka_unit_test(test_mixed_heads),     cmocka_unit_test(test_masks),
        cmocka_unit_test(test_biases),          cmocka_unit_test(test_nonzero_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
