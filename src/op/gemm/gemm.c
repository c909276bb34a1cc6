// SPDX-License-Identifier: Apache-2.0
//
// The operator "gemm", C = act(A B + bias [+ C]) with A [m][k], B [k][n] or, transposed, [n][k], C [m][n],
// all row-major: names, tensors, work, and the table entry. fp8 tensors have one scale each.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "op/dtype.h"
#include "op/gemm/gemm_internal.h"

#define EXTENT_MAX (INT64_C(1) << 24)
#define GRAMMAR    "gemm/<dtype>/m<M>/n<N>/k<K>[/bt][/bias][/acc][/relu|/gelu][/out_<dtype>]"

// ---- names ----

static bool is_input_dtype(int32_t dtype) {
    return dtype == ASSAY_FP32 || dtype == ASSAY_FP16 || dtype == ASSAY_BF16 || dtype == ASSAY_FP8_E4M3;
}

static int parse_extent(const char *field, char letter, int64_t *ret, struct err *err) {
    long long value = 0;
    if (field[0] != letter || str_parse_i64(field + 1, &value) < 0 || value < 1 || value > EXTENT_MAX)
        return err_set(err, ERR_USAGE,
                       "'%.40s': expected %c<N> with N from 1 to 2^24; the grammar is " GRAMMAR, field,
                       letter);
    *ret = value;
    return 0;
}

static int parse_option(const char *field, struct gemm_params *p, struct err *err) {
    const bool is_relu = str_equal(field, "relu"), is_gelu = str_equal(field, "gelu");
    if (str_equal(field, "bt") && !p->is_b_transposed) {
        p->is_b_transposed = true;
    } else if (str_equal(field, "bias") && !p->has_bias) {
        p->has_bias = true;
    } else if (str_equal(field, "acc") && !p->is_accumulating) {
        p->is_accumulating = true;
    } else if ((is_relu || is_gelu) && p->activation == GEMM_NONE) {
        p->activation = is_relu ? GEMM_RELU : GEMM_GELU;
    } else if (str_starts(field, "out_") && p->dtype_out == ASSAY_DTYPE_INVALID) {
        p->dtype_out = dtype_parse(field + 4);
        if (p->dtype_out != ASSAY_FP32 && p->dtype_out != ASSAY_FP16 && p->dtype_out != ASSAY_BF16)
            return err_set(err, ERR_USAGE, "'%.40s': results are fp32, fp16 or bf16", field);
    } else {
        return err_set(err, ERR_USAGE, "'%.40s' is no option, or is given twice; the grammar is " GRAMMAR,
                       field);
    }
    return 0;
}

static int gemm_parse(const struct operator_def *op, const char *const *fields, size_t field_count,
                      void *params, struct err *err) {
    (void)op;
    struct gemm_params *p = params;
    if (field_count < 4) return err_set(err, ERR_USAGE, "fields are missing; the grammar is " GRAMMAR);
    p->dtype = dtype_parse(fields[0]);
    if (!is_input_dtype(p->dtype))
        return err_set(err, ERR_USAGE, "'%.40s': the element type must be one of fp32, fp16, bf16, fp8_e4m3",
                       fields[0]);
    TRY(parse_extent(fields[1], 'm', &p->m, err));
    TRY(parse_extent(fields[2], 'n', &p->n, err));
    TRY(parse_extent(fields[3], 'k', &p->k, err));
    for (size_t i = 4; i < field_count; ++i) TRY(parse_option(fields[i], p, err));
    if (p->dtype_out == ASSAY_DTYPE_INVALID) p->dtype_out = gemm_dtype_out_default(p->dtype);
    if (p->dtype == ASSAY_FP32 && p->dtype_out != ASSAY_FP32)
        return err_set(err, ERR_USAGE, "fp32 inputs have fp32 results");
    return 0;
}

static void gemm_format(const struct problem *problem, struct strbuf *out) {
    const struct gemm_params *p = gemm_params_of(problem);
    strbuf_addf(out, "%s/m%lld/n%lld/k%lld", dtype_name(p->dtype), (long long)p->m, (long long)p->n,
                (long long)p->k);
    if (p->is_b_transposed) strbuf_add(out, "/bt");
    if (p->has_bias) strbuf_add(out, "/bias");
    if (p->is_accumulating) strbuf_add(out, "/acc");
    if (p->activation != GEMM_NONE) strbuf_add(out, p->activation == GEMM_RELU ? "/relu" : "/gelu");
    if (p->dtype_out != gemm_dtype_out_default(p->dtype))
        strbuf_addf(out, "/out_%s", dtype_name(p->dtype_out));
}

static_assert(sizeof(struct gemm_params) <= PROBLEM_PARAM_BYTES, "the parameters must fit a problem");

extern const struct operator_def gemm_operator; // listed in op/table.c
const struct operator_def gemm_operator = {
    .name = "gemm",
    .summary = "act(A B + bias), row-major, with one scale a tensor in fp8",
    .example = "gemm/bf16/m4096/n4096/k4096/bt",
    .same_precision = "gemm_naive",
    .parse = gemm_parse,
    .format = gemm_format,
    .describe = gemm_describe,
    .flops = gemm_flops,
    .compulsory_bytes = gemm_bytes,
    .distributions = gemm_distributions,
    .distribution_applies = gemm_distribution_applies,
    .fill = gemm_fill,
    .oracle = gemm_oracle,
    .oracle_rows = gemm_oracle_rows,
    .tolerance = gemm_tolerance,
    .is_order_free = true, // parts of k may be added by atomics
    .device = &gemm_device,
    .slice_counts = gemm_slice_counts,
    .slice = gemm_slice,
    .boundary = gemm_boundary,
    .draw = gemm_draw,
    .size = gemm_size,
    .resize = gemm_resize,
    .drop_option = gemm_drop_option,
    .mutants = gemm_mutants,
    .suites = gemm_suites,
    .cpu_suite = "gemm_cpu",
    .gpu_suite = "gemm",
    .check_suite = "gemm_fuzz",
    .gate_check_suite = "gemm_boundary",
    .peers = gemm_peers,
};
