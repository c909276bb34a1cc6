// SPDX-License-Identifier: Apache-2.0
//
// Names of problems read back, for every operator, and every hostile name gives one clear sentence; memory
// layouts and strides of problem.c; what every operator of the table has to hold; the example operator from
// end to end.
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "base/strbuf.h"
#include "op/dtype.h"
#include "op_buffers.h"
#include "record/check_result.h"

static void test_canonical_names(void **state) {
    (void)state;
    static const char *const names[][2] = {
        // given, canonical (NULL: the same)
        {"attention/fp16/b32/h8/s512/d64", NULL},
        {"attention/fp16/b32/h8/s512/d64/causal", NULL},
        {"attention/bf16/b1/h2/s1/d1/causal_br", NULL},
        {"attention/fp16/kv_fp8_e4m3/b1/h32/hkv8/sq1/sk8192/d128", NULL},
        {"attention/fp8_e4m3/b1/h1/s64/d64/scale0.3/bshd/lse", NULL},
        {"attention/fp32/b1/h1/s7/d40/causal/scale1e-06/bshd/lse", NULL},
        {"attention/fp16/kv_fp16/b1/h4/hkv4/sq8/sk8/d64", "attention/fp16/b1/h4/s8/d64"},
        {"attention/fp16/b1/h4/s8/d64/scale0.125", "attention/fp16/b1/h4/s8/d64"},
        {"attention/fp16/b1/h4/s8/d64/scale0.1250", "attention/fp16/b1/h4/s8/d64"},
        {"attention/fp16/lse/bshd/b1/h4/causal/s8/d64/hkv2/scale+1e0/kv_bf16",
         "attention/fp16/kv_bf16/b1/h4/hkv2/s8/d64/causal/scale1/bshd/lse"},
        {"attention/fp16/b01/h4/s008/d64", "attention/fp16/b1/h4/s8/d64"},
        {"attention/fp16/b1/h4/s8/d64/dv128/causal/window4/scale20/softcap50/bshd/lse", NULL},
        {"attention/fp16/b1/h4/s8/d64/causal/window4/mask_bh/scale20/bshd", NULL},
        {"attention/fp8_e4m3/b1/h4/s8/d64/out_bf16/bshd/lse", NULL},
        {"attention/fp16/qkv_packed/b1/h4/hkv2/sq8/sk8/d64/dv64/lse",
         "attention/fp16/b1/h4/hkv2/s8/d64/qkv_packed/lse"},
        {"attention/fp8_e4m3/out_fp16/b1/h4/s8/d64", "attention/fp8_e4m3/b1/h4/s8/d64"},
        {"attention/bf16/out_bf16/b1/h4/s8/d64", "attention/bf16/b1/h4/s8/d64"},
        {"attention/bf16/out_fp32/kv_fp16/b1/h4/s8/d64", "attention/bf16/kv_fp16/b1/h4/s8/d64/out_fp32"},
        {"attention/fp16/mask/b1/h4/s8/d64/causal_br", "attention/fp16/b1/h4/s8/d64/causal_br/mask"},
        {"attention/fp16/bias_h/b1/h4/s8/d64/mask_b/lse", "attention/fp16/b1/h4/s8/d64/mask_b/bias_h/lse"},
        {"attention/fp16/window4/b1/h4/s8/softcap5e1/dv64/d64/causal_br",
         "attention/fp16/b1/h4/s8/d64/causal_br/window4/softcap50"},
        {"scale/fp32/n1000", NULL},
        {"scale/bf16/n1/a-0.375", NULL},
        {"scale/fp16/n9/a2", "scale/fp16/n9"},
        {"scale/fp16/n9/a0.1", "scale/fp16/n9/a0.100000001"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        struct problem problem = parsed(names[i][0]);
        assert_string_equal(problem.name, names[i][1] ? names[i][1] : names[i][0]);
        struct problem again = parsed(problem.name);
        assert_memory_equal(&again, &problem, sizeof again);
    }
}

static void random_name(uint64_t seed, char *ret_name, size_t capacity) {
    static const char *const dtypes[] = {"fp32", "fp16", "bf16", "fp8_e4m3"};
    const uint64_t stream = rng_stream("names");
    static const char *const masks[] = {"", "/mask", "/mask_b", "/mask_h", "/mask_bh"};
    static const char *const biases[] = {"", "/bias", "/bias_b", "/bias_h", "/bias_bh"};
    uint64_t draws[14];
    for (uint64_t i = 0; i < 14; ++i) draws[i] = rng_u64(seed, stream, i) >> 11;
    const unsigned heads_kv = (unsigned)(1 + draws[0] % 9), heads = heads_kv * (unsigned)(1 + draws[1] % 5);
    char scale[40] = "";
    if (draws[2] % 2) snprintf(scale, sizeof scale, "/scale%.17g", 1e-3 + rng_uniform(seed, stream, 99));
    snprintf(ret_name, capacity, "attention/%s/kv_%s/b%u/h%u/hkv%u/sq%u/sk%u/d%u%s%s%s%s%s%s",
             dtypes[draws[3] % 4], dtypes[draws[4] % 4], (unsigned)(1 + draws[5] % 40), heads, heads_kv,
             (unsigned)(1 + draws[6] % 3000), (unsigned)(1 + draws[7] % 3000), (unsigned)(1 + draws[8] % 512),
             draws[9] % 3 == 0   ? "/causal"
             : draws[9] % 3 == 1 ? "/causal_br"
                                 : "",
             masks[draws[12] % 5], biases[draws[13] % 5], scale, draws[10] % 2 ? "/bshd" : "",
             draws[11] % 2 ? "/lse" : "");
}

static void test_random_names_round_trip(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3000; ++seed) {
        char name[PROBLEM_NAME_BYTES];
        random_name(seed, name, sizeof name);
        const struct problem problem = parsed(name), again = parsed(problem.name);
        assert_memory_equal(&again, &problem, sizeof again);
    }
}

// A name is refused with ERR_USAGE and a sentence that contains the second string.
static void check_refused(const char *const pair[2]) {
    struct problem problem;
    struct err err = {0};
    const int code = problem_parse(&operators_compiled, pair[0], &problem, &err);
    if (code != -ERR_USAGE || err.code != ERR_USAGE || !strstr(err.text, pair[1]))
        fail_msg("'%s': code %d, '%s' lacks '%s'", pair[0], code, err.text, pair[1]);
    for (const char *c = err.text; *c; ++c) assert_in_range((unsigned char)*c, ' ', '~');
    assert_true(problem_parse(&operators_compiled, pair[0], &problem, NULL) < 0);
}

static void test_hostile_names(void **state) {
    (void)state;
    static char lengthy[3000], many[100];
    memset(lengthy, 'a', sizeof lengthy - 1);
    memset(many, '/', sizeof many - 1);
    static const char *names[][2] = {
        {"", "unknown operator ''"},
        {"/", "unknown operator"},
        {"attentio/fp16", "known: attention"},
        {"attention", "nothing after the operator"},
        {"attention/", "field 2 is empty"},
        {"attention/fp16//b1", "field 3 is empty"},
        {"attention/fp16/b1/h1/s1/d64/", "field 7 is empty"},
        {"attention/fp64/b1/h1/s1/d64", "one of fp32, fp16"},
        {"attention/int32/b1/h1/s1/d64", "one of fp32, fp16"},
        {"attention/fp16/kv_x/b1/h1/s1/d64", "one of fp32, fp16"},
        {"attention/fp16/b1/h1/s1", "field d is missing"},
        {"attention/fp16/b1/h1/d64", "field s (or sq) is missing"},
        {"attention/fp16/b1/h1/sq4/d64", "field sk is missing"},
        {"attention/fp16/b1/h1/s4/sk4/d64", "give either s, or sq and sk"},
        {"attention/fp16/b1/h1/s4/sq4/d64", "said already"},
        {"attention/fp16/b1/b1/h1/s4/d64", "said already"},
        {"attention/fp16/b1/h1/s4/d64/causal/causal_br", "said already"},
        {"attention/fp16/b1/h1/s4/d64/lse/lse", "said already"},
        {"attention/fp16/h1/b1/s4/d64", "comes too late"},
        {"attention/fp16/b0/h1/s4/d64", "at least 1"},
        {"attention/fp16/b-1/h1/s4/d64", "not a field"},
        {"attention/fp16/b1x/h1/s4/d64", "not a field"},
        {"attention/fp16/b/h1/s4/d64", "not a field"},
        {"attention/fp16/b1/h1/s4/d64/CAUSAL", "not a field"},
        {"attention/fp16/b 1/h1/s4/d64", "not a field"},
        {"attention/fp16/b99999999999999999999/h1/s4/d64", "not a field"},
        {"attention/fp16/b9999999999/h1/s4/d64", "allowed are 1 to 2147483647"},
        {"attention/fp16/b1/h1/s4/d513", "allowed are 1 to 512"},
        {"attention/fp16/b1/h6/hkv4/s4/d64", "multiple of hkv"},
        {"attention/fp16/b1/h2/hkv4/s4/d64", "multiple of hkv"},
        {"attention/fp16/b1000000/h1000000/s1000000/d512", "GiB"},
        {"attention/fp16/b1/h1/s4/d64/scale", "must be a number"},
        {"attention/fp16/b1/h1/s4/d64/scalenan", "must be a number"},
        {"attention/fp16/b1/h1/s4/d64/scale0x1", "must be a number"},
        {"attention/fp16/b1/h1/s4/d64/scale1e400", "scale"},
        {"attention/fp16/b1/h1/s4/d64/scale0", "allowed are"},
        {"attention/fp16/b1/h1/s4/d64/scale-1", "allowed are"},
        {"attention/\x1b[31m\xff/b1", "attention/?[31m?/b1': character 11 is not printable"},
        {"attention/%s%n/b1/h1/s4/d64", "%s%n"},
        {"scale/fp32", "expected scale/"},
        {"scale/fp8_e4m3/n4", "one of fp32"},
        {"scale/fp32/n0", "N from 1"},
        {"scale/fp32/n4/b2", "expected a<factor>"},
        {"scale/fp32/n4/a1e39", "fit a float"},
        {lengthy, "at most"},
        {many, "more than 34 fields"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) check_refused(names[i]);
}

static void test_hostile_features(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"attention/fp16/b1/h1/s4/d64/dv513", "allowed are 1 to 512"},
        {"attention/fp16/b1/h1/s4/d64/dv0", "at least 1"},
        {"attention/fp16/b1/h1/s4/d64/dv8/dv8", "said already"},
        {"attention/fp16/b1/h1/s4/d64/window4", "window is for a causal mask"},
        {"attention/fp16/b1/h1/s4/d64/causal/window0", "at least 1"},
        {"attention/fp16/b1/h1/s4/d64/causal/window9999999999", "allowed are 1 to 2147483647"},
        {"attention/fp16/b1/h1/s4/d64/softcap", "the softcap must be a number"},
        {"attention/fp16/b1/h1/s4/d64/softcap0", "no cap"},
        {"attention/fp16/b1/h1/s4/d64/softcap-1", "allowed are"},
        {"attention/fp16/b1/h1/s4/d64/softcap1/softcap1", "said already"},
        {"attention/fp16/b1/h1/s4/d64/mask_b/mask", "said already"},
        {"attention/fp16/b1/h1/s4/d64/bias/bias", "said already"},
        {"attention/fp8_e4m3/b1/h1/s4/d64/out_bf16/out_fp32", "said already"},
        {"attention/fp8_e4m3/b1/h1/s4/d64/out_fp8_e4m3", "an output is fp32, fp16 or bf16"},
        {"attention/fp8_e4m3/b1/h1/s4/d64/out_", "one of fp32, fp16"},
        {"attention/fp16/b1/h1/sq4/sk5/d64/qkv_packed", "one length, type and head dimension"},
        {"attention/fp16/kv_bf16/b1/h1/s4/d64/qkv_packed", "one length, type and head dimension"},
        {"attention/fp16/b1/h1/s4/d64/dv8/qkv_packed", "one length, type and head dimension"},
        {"attention/fp16/b1/h1/s4/d64/bshd/qkv_packed", "leave out bshd"},
        {"attention/fp16/b1/h1/s4/d64/qkv_packed/qkv_packed", "said already"},
        {"attention/fp16/b1/h1/s4/d64/bias1", "'bias1': a bias is the same for all"},
        {"attention/fp16/b64/h64/s10000/d1/bias_bh", "allowed are 256 GiB"},
        {"attention/fp16/b1/h1/s4/d64/mask_hb", "'mask_hb': a mask is the same for all"},
        {"attention/fp16/b1/h1/s4/d64/masked", "'masked': a mask is the same for all"},
        {"attention/fp16/b1024/h1/s100000/d1/mask_b", "allowed are 256 GiB"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) check_refused(names[i]);
}

// Any bytes give a problem or a sentence.
static void test_mutated_names(void **state) {
    (void)state;
    const uint64_t stream = rng_stream("mutations");
    for (uint64_t seed = 0; seed < 20000; ++seed) {
        char name[PROBLEM_NAME_BYTES] =
            "attention/fp16/kv_bf16/b2/h4/hkv2/sq3/sk5/d64/causal/scale0.3/bshd/lse";
        const uint64_t edits = 1 + rng_below(seed, stream, 0, 4);
        for (uint64_t e = 1; e <= edits; ++e) {
            const size_t at = rng_below(seed, stream, 2 * e, strlen(name) ? strlen(name) : 1);
            name[at] = (char)rng_below(seed, stream, 2 * e + 1, 256);
        }
        struct problem problem;
        struct err err = {0};
        if (problem_parse(&operators_compiled, name, &problem, &err) == 0) {
            const struct problem again = parsed(problem.name);
            assert_memory_equal(&again, &problem, sizeof again);
        } else {
            assert_int_equal(err.code, ERR_USAGE);
            assert_true(strlen(err.text) > 10);
        }
    }
}

// The ABI's promises: innermost stride 1, other strides multiples of 16 bytes (unless rows are packed),
// elements apart from one another.
static void check_strides(const struct assay_tensor *t, enum memory_layout memory_layout) {
    assert_int_equal(t->stride[t->dim_count - 1], 1);
    uint64_t bytes = dtype_bytes(t->dtype);
    if (t->dim_count > 1 && !tensor_is_statistic(t) && memory_layout != MEMORY_LAYOUT_PACKED)
        for (int32_t i = 0; i + 1 < t->dim_count; ++i)
            assert_int_equal((uint64_t)t->stride[i] * bytes % 16, 0);
    const uint64_t span = tensor_span_bytes(t), count = tensor_element_count(t);
    assert_true(span >= count * bytes);
    unsigned char *seen = calloc(span, 1);
    for (uint64_t i = 0; i < count; ++i) {
        int64_t coord[ASSAY_MAX_DIMS];
        tensor_coord(t, i, coord);
        const uint64_t at = (uint64_t)tensor_offset(t, coord) * bytes;
        assert_true(at + bytes <= span);
        assert_int_equal(seen[at], 0);
        seen[at] = 1;
    }
    free(seen);
}

// The last row begins beyond 2^31 elements, where the rows' own place in memory says; one row stays.
static void check_far(const struct assay_tensor *tensor, const struct assay_tensor *behind) {
    const struct far_rows far = tensor_far_rows(behind);
    const uint64_t bytes = dtype_bytes(tensor->dtype), span_bytes = tensor_span_bytes(behind);
    if (!far.count) {
        assert_memory_equal(tensor, behind, sizeof *tensor);
        return;
    }
    assert_true(far.count >= 2 && far.row_bytes * (far.count - 1) < span_bytes);
    assert_true(far.row_bytes * far.count >= span_bytes);
    assert_int_equal(far.step_bytes % FAR_STEP_BYTES, 0);
    assert_true(far.step_bytes >= span_bytes + FAR_GUARD_BYTES);
    assert_int_equal(tensor_span_bytes(tensor), far_rows_span(&far, span_bytes));
    const uint64_t last = (far.count - 1) * (far.step_bytes + far.row_bytes) / bytes;
    assert_true(last > UINT64_C(1) << 31);
    // no further than whole steps make it
    assert_true(last < (UINT64_C(1) << 31) + (far.count - 1) * (FAR_STEP_BYTES + far.row_bytes) / bytes + 1);
    for (int32_t d = 0; d + 1 < tensor->dim_count; ++d) { // the same rows, in the same order
        const uint64_t stride_bytes = (uint64_t)tensor->stride[d] * bytes,
                       pitch = far.step_bytes + far.row_bytes;
        assert_int_equal(stride_bytes % pitch, 0);
        assert_int_equal(stride_bytes / pitch, (uint64_t)behind->stride[d] * bytes / far.row_bytes);
    }
}

// As many rows and bytes as far takes, and one more.
static void test_far_limits(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool can_be_far;
    } cases[] = {
        {"gemm/fp32/m4096/n4/k4", true},         {"gemm/fp32/m4097/n4/k4", false},
        {"gemm/fp32/m4096/n4/k4096", true},      {"gemm/fp32/m4096/n4/k4097", false},
        {"gemm/fp32/m1/n100000/k1", true},       {"scale/fp32/n100000000", true},
        {"attention/fp16/b1/h4096/s1/d8", true}, {"attention/fp16/b4097/h1/s1/d8", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct problem problem = parsed(cases[i].name);
        if (problem_can_be_far(&problem) != cases[i].can_be_far) fail_msg("%s", cases[i].name);
    }
    const struct problem many = parsed("gemm/fp32/m4097/n4/k4");
    struct problem_abi far, dense;
    problem_describe(&many, MEMORY_LAYOUT_FAR, &far);
    problem_describe(&many, MEMORY_LAYOUT_DENSE, &dense);
    assert_memory_equal(&far.tensors[0], &dense.tensors[0], sizeof far.tensors[0]);
}

static void test_memory_layouts(void **state) {
    (void)state;
    static const char *const names[] = {
        "attention/fp16/b2/h3/s5/d64",
        "attention/fp16/b2/h3/s5/d64/bshd/lse",
        "attention/fp8_e4m3/b2/h4/hkv2/sq3/sk7/d40/lse",
        "attention/fp32/kv_fp8_e4m3/b1/h1/s3/d1",
        "attention/bf16/b1/h1/s1/d7/bshd",
        "attention/fp16/b2/h3/sq5/sk17/d64/mask_h/bshd",
        "attention/fp32/b2/h1/sq1/sk7/d8/mask",
        "attention/fp16/b2/h3/sq5/sk17/d64/mask/bias_bh",
        "attention/fp16/b2/h4/hkv2/s5/d40/qkv_packed/lse",
        "scale/fp16/n33",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const struct problem problem = parsed(names[i]);
        for (int memory_layout = MEMORY_LAYOUT_DENSE; memory_layout < MEMORY_LAYOUT_COUNT; ++memory_layout) {
            struct problem_abi abi, dense;
            problem_describe(&problem, (enum memory_layout)memory_layout, &abi);
            problem_describe(&problem, MEMORY_LAYOUT_DENSE, &dense);
            assert_ptr_equal(abi.problem.tensors.items, abi.tensors);
            assert_int_equal(abi.problem.tensors.tensor_count, abi.tensor_count);
            assert_string_equal(abi.problem.name, names[i]);
            bool has_output = false;
            for (uint32_t t = 0; t < abi.tensor_count; ++t) {
                if (memory_layout != MEMORY_LAYOUT_FAR) // which check_far compares with a dense one
                    check_strides(&abi.tensors[t], (enum memory_layout)memory_layout);
                assert_null(abi.tensors[t].data);
                const bool is_output = abi.tensors[t].access == ASSAY_OUT;
                assert_true(is_output || !has_output); // inputs first
                has_output |= is_output;
                const bool has_gaps = memory_layout == MEMORY_LAYOUT_PADDED && abi.tensors[t].dim_count > 2 &&
                                      !tensor_is_statistic(&abi.tensors[t]);
                const bool is_same = memcmp(&abi.tensors[t], &dense.tensors[t], sizeof abi.tensors[t]) == 0;
                if (memory_layout == MEMORY_LAYOUT_PACKED) {
                    assert_int_equal(tensor_span_bytes(&abi.tensors[t]),
                                     tensor_element_count(&abi.tensors[t]) *
                                         dtype_bytes(abi.tensors[t].dtype));
                    assert_true(is_same || problem_has_gaps(&problem));
                } else if (memory_layout == MEMORY_LAYOUT_FAR) {
                    check_far(&abi.tensors[t], &dense.tensors[t]);
                } else {
                    assert_int_equal(is_same, !has_gaps);
                }
            }
        }
    }
    for (int memory_layout = MEMORY_LAYOUT_DENSE; memory_layout < MEMORY_LAYOUT_COUNT; ++memory_layout)
        assert_int_equal(memory_layout_parse(memory_layout_name((enum memory_layout)memory_layout)),
                         memory_layout);
    assert_int_equal(memory_layout_parse("x"), MEMORY_LAYOUT_INVALID);
    assert_int_equal(memory_layout_parse(NULL), MEMORY_LAYOUT_INVALID);
}

static void test_exact_strides(void **state) {
    (void)state;
    const struct problem problem = parsed("attention/fp16/b2/h3/sq5/sk7/d64/bshd");
    struct problem_abi abi;
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    const int64_t q_dense[] = {5 * 3 * 64, 64, 3 * 64, 1}, k_padded[] = {7 * 3 * 72, 72, 3 * 72, 1};
    assert_memory_equal(abi.tensors[0].stride, q_dense, sizeof q_dense);
    problem_describe(&problem, MEMORY_LAYOUT_PADDED, &abi);
    assert_memory_equal(abi.tensors[1].stride, k_padded, sizeof k_padded);
    assert_true(assay_scalar_get(abi.scalars, abi.problem.scalar_count, "seq_k", 0) == 7);
    assert_true(assay_scalar_get(abi.scalars, abi.problem.scalar_count, "scale", 0) == 0.125);
    assert_string_equal(problem_dtype_name(&problem), "fp16");
}

static void test_distributions(void **state) {
    (void)state;
    struct op_buffers b;
    struct err err = {0};
    op_buffers_init(&b, "attention/fp8_e4m3/b1/h1/s2/d16", MEMORY_LAYOUT_DENSE);
    assert_int_equal(problem_fill(&b.problem, "weird", 1, b.abi.tensors, b.abi.tensor_count, &err),
                     -ERR_USAGE);
    assert_non_null(strstr(err.text, "huge_logits"));
    assert_int_equal(problem_fill(&b.problem, "inf", 1, b.abi.tensors, b.abi.tensor_count, &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "does not apply"));
    op_buffers_fini(&b);
}

// What everything outside of op/ relies on: inputs before outputs and in-out tensors, of which there are
// at most as many as a record of a check holds.
static void assert_tensors_in_order(const struct problem *problem) {
    struct problem_abi abi;
    uint32_t inputs = 0;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    while (inputs < abi.tensor_count && abi.tensors[inputs].access == ASSAY_IN) ++inputs;
    for (uint32_t i = inputs; i < abi.tensor_count; ++i)
        assert_int_not_equal(abi.tensors[i].access, ASSAY_IN);
    assert_in_range(abi.tensor_count - inputs, 1, CHECK_TENSORS_MAX);
}

static void test_operators(void **state) {
    (void)state;
    assert_string_equal(operator_find(&operators_compiled, "attention")->name, "attention");
    assert_string_equal(operator_find(&operators_compiled, "scale")->name, "scale");
    assert_null(operator_find(&operators_compiled, "none"));
    for (size_t i = 0; operator_at(&operators_compiled, i); ++i) {
        const struct operator_def *op = operator_at(&operators_compiled, i);
        const struct problem example = parsed(op->example);
        assert_ptr_equal(example.op, op);
        assert_ptr_equal(operator_find(&operators_compiled, op->name), op);
        assert_true(!op->same_precision || (op->slice && op->slice_counts));
        assert_tensors_in_order(&example);
        struct arena arena = {0};
        const struct op_cases cases = problem_boundary(op, "fp32", &arena);
        for (size_t k = 0; k < cases.count; ++k) {
            const struct op_case *c = &cases.items[k];
            assert_ptr_equal(c->problem.op, op);
            assert_tensors_in_order(&c->problem);
            struct op_buffers b;
            op_buffers_init(&b, c->problem.name, c->memory_layout);
            op_buffers_fill(&b, c->distribution, 1);
            op_buffers_fini(&b);
        }
        assert_true(cases.count > 3);
        assert_int_equal(problem_boundary(op, "no such dtype", &arena).count, 0);
        arena_fini(&arena);
    }
}

static void test_scale_operator(void **state) {
    (void)state;
    struct op_buffers b;
    op_buffers_init(&b, "scale/fp16/n10001/a-0.375", MEMORY_LAYOUT_OFFSET);
    op_buffers_fill(&b, "normal", 3);
    op_buffers_oracle(&b, 2);
    for (int64_t i = 0; i < 10001; ++i)
        assert_true(b.results[0][i] ==
                    -0.375 * dtype_load(ASSAY_FP16, (const uint16_t *)b.abi.tensors[0].data + i));
    assert_true(problem_flops(&b.problem) == 10001);
    assert_true(problem_bytes(&b.problem) == 40004);
    struct problem smaller;
    const struct operator_def *op = b.problem.op;
    assert_int_equal(op->size(&b.problem, 0), 10001);
    assert_int_equal(op->size(&b.problem, 1), 0);
    assert_true(op->resize(&b.problem, 0, 5000, &smaller));
    assert_string_equal(smaller.name, "scale/fp16/n5000/a-0.375");
    assert_int_equal(problem_simplify(&b.problem, 0, &smaller), 1);
    assert_string_equal(smaller.name, "scale/fp16/n10001");
    struct problem plainer;
    assert_int_equal(problem_simplify(&b.problem, 1, &plainer), 0);
    assert_int_equal(problem_simplify(&smaller, 0, &plainer), 0);
    op_buffers_fini(&b);
}

static const char *set_s, *set_d; // the environment of the test below

static char *get_variable(const char *name) {
    static char text[32];
    const char *value = strcmp(name, "S") == 0 ? set_s : strcmp(name, "D") == 0 ? set_d : NULL;
    if (!value) return NULL;
    snprintf(text, sizeof text, "%s", value);
    return text;
}

static void test_variables(void **state) {
    (void)state;
    const struct operator_def *op = operator_find(&operators_compiled, "attention");
    struct strbuf name = {0};
    struct err err = {0};
    struct problem problem;
    assert_int_equal(problem_name_from_variables(op, "fp16", get_variable, &name, &err), 0);
    set_s = "1024";
    set_d = "128";
    assert_int_equal(problem_name_from_variables(op, "bf16", get_variable, &name, &err), 1);
    assert_string_equal(name.text, "attention/bf16/b1/h8/s1024/d128");
    assert_int_equal(problem_parse(&operators_compiled, name.text, &problem, &err), 0);
    static const char *const wrong[] = {"", "0", "-1", "x", "1.5", "8 ", "4294967296"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        set_s = wrong[i];
        assert_int_equal(problem_name_from_variables(op, "fp16", get_variable, &name, &err), -ERR_USAGE);
        assert_non_null(strstr(err.text, "the environment variable S"));
    }
    set_s = set_d = NULL; // an operator without variables
    assert_int_equal(problem_name_from_variables(operator_find(&operators_compiled, "scale"), "fp32",
                                                 get_variable, &name, &err),
                     0);
    strbuf_fini(&name);
}

static void test_exact_types_have_no_tolerance(void **state) {
    (void)state;
    const struct problem problem = parsed("scale/fp16/n8");
    for (int32_t dtype = ASSAY_FP32; dtype < ASSAY_DTYPE_END; ++dtype) {
        const struct assay_tensor output = {.dtype = dtype};
        const struct op_tolerance t = problem_tolerance(&problem, "normal", &output, 1);
        assert_int_equal(t.atol == 0 && t.rtol == 0 && t.min_pass_fraction == 1 && !t.is_two_x_gated,
                         strstr(dtype_name(dtype), "int") || dtype == ASSAY_BOOL ||
                             dtype == ASSAY_FP4_E2M1X2 || dtype == ASSAY_E8M0);
    }
}

// A problem with its inputs, as reports and calibrations name it.
static void test_keys(void **state) {
    (void)state;
    static const struct {
        const char *key;
        bool is_key;
    } cases[] = {{"attention/fp32/b1/h1/s16/d16", true},
                 {"attention/fp32/b1/h1/s16/d16 mixed", true},
                 {"attention/fp32/b1/h1/s16/d16 normal", true},
                 {"attention/fp32/b1/h1/s16/d16 ", false},
                 {"attention/fp32/b1/h1/s16/d16 nosuch", false},
                 {"theirs/of/an/operator/not/here nosuch", true},
                 {"theirs/of/an/operator/not/here two words", false},
                 {"attention/fp32/b1/h1/s16/d16 mixed mixed", false},
                 {" mixed", false},
                 {"", false},
                 {"/fp32/n1 mixed", false},
                 {"scale mixed", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct err err = {0};
        if ((problem_key_check(&operators_compiled, cases[i].key, &err) == 0) != cases[i].is_key)
            fail_msg("'%s': %s", cases[i].key, err.text);
    }
    struct problem problem;
    char buffer[PROBLEM_KEY_BYTES];
    assert_int_equal(problem_parse(&operators_compiled, cases[0].key, &problem, NULL), 0);
    assert_string_equal(problem_key(&problem, "mixed", buffer), cases[1].key);
    assert_string_equal(problem_key(&problem, "normal", buffer), cases[0].key);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical_names),
        cmocka_unit_test(test_random_names_round_trip),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_hostile_features),
        cmocka_unit_test(test_mutated_names),
        cmocka_unit_test(test_memory_layouts),
        cmocka_unit_test(test_far_limits),
        cmocka_unit_test(test_exact_strides),
        cmocka_unit_test(test_exact_types_have_no_tolerance),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_scale_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
