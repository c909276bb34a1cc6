// SPDX-License-Identifier: Apache-2.0
//
// The operator "attention": forward, O = softmax(scale Q K^T) V. This file holds its table entry; the
// functions are in the attention_*.c files.
#include <assert.h>

#include "op/attention/attention_internal.h"

static_assert(sizeof(struct attention_params) <= PROBLEM_PARAM_BYTES,
              "attention's parameters must fit a problem");

extern const struct operator_def attention_operator; // listed in op/table.c
const struct operator_def attention_operator = {
    .name = "attention",
    .summary = "softmax(scale Q K^T) V, forward",
    .example = "attention/fp16/b32/h8/s512/d64",
    .same_precision = "naive",
    .parse = attention_parse,
    .format = attention_format,
    .describe = attention_describe,
    .flops = attention_flops,
    .compulsory_bytes = attention_bytes,
    .distributions = attention_distributions,
    .measured_distributions = &attention_distributions[ATTENTION_MEASURED_FIRST],
    .distribution_applies = attention_distribution_applies,
    .fill = attention_fill,
    .oracle = attention_oracle,
    .oracle_rows = attention_oracle_rows,
    .tolerance = attention_tolerance,
    .device = &attention_device,
    .slice_counts = attention_slice_counts,
    .slice = attention_slice,
    .slice_rows = attention_slice_rows,
    .boundary = attention_boundary,
    .draw = attention_draw,
    .size = attention_size,
    .resize = attention_resize,
    .drop_option = attention_drop_option,
    .mutants = attention_mutants,
    .suites = attention_suites,
    .cpu_suite = "cpu",
    .gpu_suite = "ci",
    .check_suite = "fuzz",
    .gate_check_suite = "boundary",
    .variables = attention_variables,
    .peers = attention_peers,
};
