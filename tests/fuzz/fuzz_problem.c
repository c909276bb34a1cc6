// SPDX-License-Identifier: Apache-2.0
//
// Any text as a problem's name, and every operator's example with its numbers replaced by any others: the
// canonical name gives the same problem back, it can be described in every memory layout, its work is a
// number, and what shrinking makes of it are problems too. Anything else is refused with a sentence.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op/dtype.h"
#include "op/operator.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_described(const struct problem *problem, enum memory_layout memory_layout) {
    struct problem_abi abi;
    problem_describe(problem, memory_layout, &abi);
    if (abi.tensor_count < 2 || abi.tensor_count > OP_TENSORS_MAX) abort();
    if (abi.problem.scalar_count > OP_SCALARS_MAX) abort();
    for (uint32_t i = 0; i < abi.tensor_count; ++i) {
        const struct assay_tensor *tensor = &abi.tensors[i];
        int64_t coord[ASSAY_MAX_DIMS];
        const uint64_t elements = tensor_element_count(tensor), bytes = tensor_span_bytes(tensor);
        if (elements == 0 || bytes < elements * dtype_bytes(tensor->dtype) || bytes > INT64_MAX / 2) abort();
        tensor_coord(tensor, elements - 1, coord);
        if ((uint64_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype) >= bytes) abort();
        const struct op_tolerance tolerance = problem->op->tolerance(problem, OP_DISTRIBUTION_DEFAULT, i);
        if (tensor->access == ASSAY_OUT && !(tolerance.atol >= 0 && tolerance.rtol >= 0)) abort();
    }
}

// The name alone gives the problem back. (What shrinking fills in may differ between members, where nobody
// looks.)
static void check_name(const struct problem *problem, struct problem *ret) {
    struct err err = {0};
    if (problem_parse(&operators_compiled, problem->name, ret, &err) < 0) abort();
    if (ret->op != problem->op || !str_equal(ret->name, problem->name)) abort();
}

static void check_problem(const struct problem *problem) {
    struct err err = {0};
    struct problem again, smaller;
    check_name(problem, &again);
    if (memcmp(again.params, problem->params, sizeof again.params) != 0) abort();
    for (int i = MEMORY_LAYOUT_INVALID + 1; i < MEMORY_LAYOUT_COUNT; ++i)
        check_described(problem, (enum memory_layout)i);
    if (!(problem_flops(problem) >= 0) || !isfinite(problem_flops(problem))) abort();
    if (!(problem_bytes(problem) > 0) || !isfinite(problem_bytes(problem))) abort();
    if (dtype_parse(problem_dtype_name(problem)) == ASSAY_DTYPE_INVALID) abort();
    if (problem_check_distribution(problem, OP_DISTRIBUTION_DEFAULT, &err) < 0) abort();
    for (size_t i = 0; problem->op->distributions && problem->op->distributions[i]; ++i)
        (void)problem_check_distribution(problem, problem->op->distributions[i], &err);
    if (problem->op->slice_counts) {
        uint64_t groups, rows;
        problem->op->slice_counts(problem, &groups, &rows);
    }
    for (size_t i = 0; problem_simplify(problem, i, &smaller) == 1; ++i) {
        if (i > 1000) abort();
        check_name(&smaller, &again);
    }
    int64_t size;
    for (size_t axis = 0; (size = problem->op->size(problem, axis)) > 0; ++axis) {
        if (axis > 64) abort();
        for (; size > 1; size /= 2)
            if (problem->op->resize(problem, axis, size - 1, &smaller)) check_name(&smaller, &again);
    }
}

static void try_name(const char *name) {
    struct problem problem;
    struct err err = {0};
    const int code = problem_parse(&operators_compiled, name, &problem, &err);
    if (code == 0)
        check_problem(&problem);
    else if (code != -ERR_USAGE || !str_starts(err.text, "problem '"))
        abort();
}

// The operator's example, each number in it made of the next eight bytes: how many bits (one byte), which
// bits.
static void try_numbers(const struct operator_def *op, const uint8_t *bytes, size_t count) {
    struct strbuf name = {0};
    for (const char *at = op->example; *at;) {
        const bool is_size = at > op->example + 1 && at[-2] == '/' && *at >= '0' && *at <= '9';
        if (!is_size || count < 8) {
            strbuf_add_char(&name, *at++);
            continue;
        }
        uint64_t value = 0;
        for (int i = 1; i < 8; ++i) value = value << 8 | bytes[i];
        strbuf_addf(&name, "%llu", (unsigned long long)(value >> bytes[0] % 56));
        bytes += 8;
        count -= 8;
        at += strspn(at, "0123456789");
    }
    try_name(strbuf_text(&name));
    strbuf_fini(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct strbuf name = {0};
    strbuf_add_bytes(&name, (const char *)bytes, count);
    try_name(strbuf_text(&name));
    strbuf_fini(&name);
    for (size_t i = 0; operator_at(&operators_compiled, i); ++i)
        try_numbers(operator_at(&operators_compiled, i), bytes, count);
    return 0;
}
