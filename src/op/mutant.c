// SPDX-License-Identifier: Apache-2.0
//
// The mutants that every operator has, made of its fill, its oracle and its slices.
#include "op/mutant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/dtype.h"
#include "op/seed_stream.h"

#define CHUNK 512 // elements converted at a time

static uint64_t elements_of(const struct mutant_case *at, uint32_t k) {
    return tensor_element_count(mutant_output(at, k));
}

// ---- copies of inputs ----

// Inputs, and in-out tensors with what they hold before a launch.
static bool is_read(const struct mutant_case *at, uint32_t i) {
    return at->tensors[i].access != ASSAY_OUT;
}

static uint32_t tensor_count(const struct mutant_case *at) {
    return at->input_count + at->output_count;
}

// Dense copies of a problem's inputs, whose values are the caller's.
struct input_copies {
    struct assay_tensor tensors[OP_TENSORS_MAX];
    void *memory[OP_TENSORS_MAX];
};

static void copies_close(struct input_copies *copies) {
    for (uint32_t i = 0; i < OP_TENSORS_MAX; ++i) free(copies->memory[i]);
}

static int copies_open(const struct mutant_case *at, struct input_copies *ret, struct err *err) {
    struct problem_abi abi;
    memset(ret, 0, sizeof *ret);
    problem_describe(at->problem, MEMORY_LAYOUT_DENSE, &abi);
    memcpy(ret->tensors, abi.tensors, sizeof ret->tensors);
    for (uint32_t i = 0; i < tensor_count(at); ++i) {
        if (!is_read(at, i)) continue;
        ret->memory[i] = mem_try_array((size_t)tensor_span_bytes(&ret->tensors[i]), 1);
        ret->tensors[i].data = ret->memory[i];
        if (ret->memory[i]) continue;
        copies_close(ret);
        return err_set(err, ERR_UNAVAILABLE, "no memory for other inputs of %s", at->problem->name);
    }
    return 0;
}

static void *row_of(const struct assay_tensor *tensor, uint64_t first) {
    int64_t coord[ASSAY_MAX_DIMS] = {0};
    tensor_coord(tensor, first, coord);
    return (char *)tensor->data + (size_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype);
}

// Copies an input, rounded to that many significant bits.
static void copy_rounded(const struct assay_tensor *from, const struct assay_tensor *to, int bits) {
    const uint64_t row = tensor_row_length(from), count = tensor_element_count(from);
    const size_t element = dtype_bytes(from->dtype);
    double values[CHUNK];
    for (uint64_t first = 0; first < count; first += row)
        for (uint64_t done = 0; done < row; done += CHUNK) {
            const size_t n = row - done < CHUNK ? (size_t)(row - done) : CHUNK;
            dtype_load_row(from->dtype, (char *)row_of(from, first) + done * element, n, values);
            for (size_t i = 0; i < n; ++i) values[i] = mutant_round(values[i], bits);
            dtype_store_row(to->dtype, (char *)row_of(to, first) + done * element, n, values);
        }
}

// ---- results of other inputs ----

int mutant_make_stale(const struct mutant_case *at, double *const *outputs, struct err *err) {
    const uint64_t seed = seed_child(at->seed, "stale", 0);
    struct input_copies copies;
    TRY(copies_open(at, &copies, err));
    int code = 0;
    for (uint32_t i = 0; i < tensor_count(at) && code == 0; ++i)
        if (is_read(at, i))
            code = at->problem->op->fill(at->problem, at->distribution, seed, i, &copies.tensors[i], err);
    if (code == 0) code = at->oracle(at, at->problem, copies.tensors, outputs, err);
    copies_close(&copies);
    return code;
}

static int make_stale(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    for (uint32_t k = 0; k < at->output_count; ++k)
        memcpy(outputs[k], at->stale[k], elements_of(at, k) * sizeof(double));
    return 0;
}

// The elements of output k that belong to a row of a group: the operator's own rows, where it has slices.
struct row_range {
    uint64_t first, count; // count 0: nothing is computed there
};

enum which_row { ROW_FIRST, ROW_LAST, ROW_MIDDLE };

static struct row_range row_range(const struct mutant_case *at, uint32_t k, enum which_row which) {
    const struct operator_def *op = at->problem->op;
    const struct assay_tensor *tensor = mutant_output(at, k);
    uint64_t groups = 0, rows = 0;
    if (op->slice) op->slice_counts(at->problem, &groups, &rows);
    if (groups && rows) {
        struct op_slice slice;
        const uint64_t group = which == ROW_FIRST ? 0 : which == ROW_LAST ? groups - 1 : groups / 2;
        const uint64_t row = which == ROW_FIRST ? 0 : which == ROW_LAST ? rows - 1 : rows / 2;
        op->slice(at->problem, at->tensors, group, row, &slice);
        if (!slice.tensor_count) return (struct row_range){0, 0};
        return (struct row_range){slice.output_offset[k], slice.output_count[k]};
    }
    uint64_t length = tensor_row_length(tensor);
    const uint64_t count = elements_of(at, k);
    if (length == count) length = 1; // a single row: its elements
    const uint64_t last = count / length - 1;
    return (struct row_range){(which == ROW_FIRST  ? 0
                               : which == ROW_LAST ? last
                                                   : last / 2) *
                                  length,
                              length};
}

static void leave_row(const struct mutant_case *at, double *const *outputs, enum which_row which) {
    for (uint32_t k = 0; k < at->output_count; ++k) {
        const struct row_range range = row_range(at, k, which);
        memcpy(outputs[k] + range.first, at->stale[k] + range.first, range.count * sizeof(double));
    }
}

static int leave_first_row(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    leave_row(at, outputs, ROW_FIRST);
    return 0;
}

static int leave_last_row(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    leave_row(at, outputs, ROW_LAST);
    return 0;
}

static int leave_middle_row(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    leave_row(at, outputs, ROW_MIDDLE);
    return 0;
}

static int leave_last_element(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    for (uint32_t k = 0; k < at->output_count; ++k) {
        const uint64_t last = elements_of(at, k) - 1;
        outputs[k][last] = at->stale[k][last];
    }
    return 0;
}

// ---- results without the work ----

static int make_zeros(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    for (uint32_t k = 0; k < at->output_count; ++k)
        memset(outputs[k], 0, elements_of(at, k) * sizeof(double));
    return 0;
}

static int make_row_means(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    for (uint32_t k = 0; k < at->output_count; ++k) {
        const struct assay_tensor *tensor = mutant_output(at, k);
        const uint64_t row = tensor_row_length(tensor), count = elements_of(at, k);
        for (uint64_t first = 0; first < count; first += row) {
            double sum = 0;
            for (uint64_t i = 0; i < row; ++i) sum += outputs[k][first + i];
            for (uint64_t i = 0; i < row; ++i) outputs[k][first + i] = sum / (double)row;
        }
    }
    return 0;
}

// The first input of output k's shape; NULL: there is none.
static const struct assay_tensor *input_like(const struct mutant_case *at, uint32_t k) {
    const struct assay_tensor *output = mutant_output(at, k);
    for (uint32_t i = 0; i < tensor_count(at); ++i) {
        const struct assay_tensor *input = &at->tensors[i];
        if (is_read(at, i) && input->dim_count == output->dim_count &&
            memcmp(input->shape, output->shape, (size_t)input->dim_count * sizeof input->shape[0]) == 0)
            return input;
    }
    return NULL;
}

static bool can_copy_input(const struct mutant_case *at) {
    for (uint32_t k = 0; k < at->output_count; ++k)
        if (input_like(at, k)) return true;
    return false;
}

static int copy_input(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    for (uint32_t k = 0; k < at->output_count; ++k) {
        const struct assay_tensor *input = input_like(at, k);
        if (!input) continue;
        const uint64_t row = tensor_row_length(input), count = elements_of(at, k);
        for (uint64_t first = 0; first < count; first += row)
            dtype_load_row(input->dtype, row_of(input, first), (size_t)row, outputs[k] + first);
    }
    return 0;
}

// ---- half the precision ----

double mutant_round(double value, int significant_bits) {
    if (!isfinite(value) || significant_bits >= 53) return value;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int dropped = 53 - significant_bits;
    const uint64_t half = (UINT64_C(1) << (dropped - 1)) - 1 + (bits >> dropped & 1);
    bits = (bits + half) >> dropped << dropped;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Significant bits of the next lower type: fp32 as fp16 (and TF32), fp16 as bf16, bf16 as e4m3, e4m3 as e5m2.
// 0: there is none.
enum {
    LOWER_FP64 = 24,
    LOWER_FP32 = 11,
    LOWER_FP16 = 8,
    LOWER_BF16 = 4,
    LOWER_FP8_E4M3 = 3,
    LOWER_FP8_E5M2 = 2,
    LOWER_INT8 = 0,
    LOWER_INT32 = 0,
    LOWER_INT64 = 0,
    LOWER_UINT8 = 0,
    LOWER_INT16 = 0,
    LOWER_BOOL = 0,
    LOWER_FP4_E2M1X2 = 0,
    LOWER_E8M0 = 0,
};
#define LOWER_CASE(id, ...)                                                                                  \
    case ASSAY_##id: return LOWER_##id;
static int lower_bits(int32_t dtype) {
    switch (dtype) {
        ASSAY_DTYPES(LOWER_CASE)
    default: return 0;
    }
}

// Scales and the like are no data: a kernel that computes in a lower type still reads them as they are.
static bool is_rounded_input(const struct assay_tensor *tensor) {
    return tensor->access != ASSAY_OUT && lower_bits(tensor->dtype) && !tensor_is_statistic(tensor);
}

static bool has_rounded_input(const struct mutant_case *at) {
    for (uint32_t i = 0; i < tensor_count(at); ++i)
        if (is_rounded_input(&at->tensors[i])) return true;
    return false;
}

static int round_inputs(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct input_copies copies;
    TRY(copies_open(at, &copies, err));
    for (uint32_t i = 0; i < tensor_count(at); ++i) {
        const struct assay_tensor *tensor = &at->tensors[i];
        if (!is_read(at, i)) continue;
        copy_rounded(tensor, &copies.tensors[i], is_rounded_input(tensor) ? lower_bits(tensor->dtype) : 53);
    }
    const int code = at->oracle(at, at->problem, copies.tensors, outputs, err);
    copies_close(&copies);
    return code;
}

// The type that takes part with the fewest significant bits decides what is half of the problem's precision.
static int round_outputs(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    int coarsest = 53;
    for (uint32_t i = 0; i < tensor_count(at); ++i)
        if (is_rounded_input(&at->tensors[i]) && lower_bits(at->tensors[i].dtype) < coarsest)
            coarsest = lower_bits(at->tensors[i].dtype);
    for (uint32_t k = 0; k < at->output_count; ++k) {
        const int own = lower_bits(mutant_output(at, k)->dtype), bits = own < coarsest ? own : coarsest;
        const uint64_t count = own ? elements_of(at, k) : 0;
        for (uint64_t i = 0; i < count; ++i) outputs[k][i] = mutant_round(outputs[k][i], bits);
    }
    return 0;
}

// ---- the list ----

static const struct mutant shared[] = {
    {"zeros", "every output is zero", NULL, make_zeros},
    {"stale", "the results of other inputs", NULL, make_stale},
    {"row_mean", "each row of an output holds its own mean", NULL, make_row_means},
    {"input_copied", "an input of the output's shape, passed through", can_copy_input, copy_input},
    {"rounded_inputs", "inputs rounded to the next lower type", has_rounded_input, round_inputs},
    {"rounded_outputs", "outputs rounded to the next lower type", NULL, round_outputs},
    {"first_row_stale", "the first row is not written: what was there before", NULL, leave_first_row},
    {"last_row_stale", "the last row is not written", NULL, leave_last_row},
    {"one_row_stale", "one row in the middle is not written", NULL, leave_middle_row},
    {"last_element_stale", "the last element is not written", NULL, leave_last_element},
};

const struct mutant *mutant_at(const struct operator_def *op, size_t index) {
    const size_t count = sizeof shared / sizeof shared[0];
    if (index < count) return &shared[index];
    const struct mutant *own = op->mutants;
    for (size_t i = count; own && own->name; ++own, ++i)
        if (i == index) return own;
    return NULL;
}
