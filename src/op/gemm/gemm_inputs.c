// SPDX-License-Identifier: Apache-2.0
//
// Input distributions of gemm: A, B, the bias, and the scales of fp8 tensors.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "device/device_random.h"
#include "op/dtype.h"
#include "op/gemm/gemm_internal.h"
#include "op/random_normal.h"
#include "op/seed_stream.h"

#define EXACT_SCALE 0.5 // of fp8: keeps small integers exact

enum distribution {
    DISTRIBUTION_INVALID = 0,
    DISTRIBUTION_NORMAL,
    DISTRIBUTION_EXACT,     // integers from -2 to 2: every sum is exact in fp32, in any order
    DISTRIBUTION_CANCEL,    // integers; the second half of k cancels the first: C is the bias, exactly
    DISTRIBUTION_SUBNORMAL, // A is mostly subnormal in its type, B large: flushing A to zero shows
    DISTRIBUTION_NAN,       // one element of A and one of B: a row and a column of C, and nothing else
    DISTRIBUTION_INF,
    DISTRIBUTION_COUNT
};
static const char *const names[DISTRIBUTION_COUNT] = {
    NULL, OP_DISTRIBUTION_DEFAULT, "exact", "cancel", "subnormal", "nan", "inf",
};
const char *const gemm_distributions[] = {"exact", "cancel", "subnormal", "nan", "inf", NULL};

static enum distribution distribution_parse(const char *name) {
    for (int i = DISTRIBUTION_NORMAL; i < DISTRIBUTION_COUNT; ++i)
        if (str_equal(name, names[i])) return (enum distribution)i;
    return DISTRIBUTION_INVALID;
}

bool gemm_distribution_applies(const struct problem *problem, const char *distribution) {
    const struct gemm_params *p = gemm_params_of(problem);
    switch (distribution_parse(distribution)) {
    case DISTRIBUTION_INVALID: return false;
    case DISTRIBUTION_CANCEL: return p->k >= 2;
    case DISTRIBUTION_INF: // e4m3 has no infinity, and the gelu of -infinity is no number
        return !gemm_is_scaled(p) && p->activation != GEMM_GELU;
    default: return true;
    }
}

uint64_t gemm_stream(const char *tensor_name) {
    char name[TENSOR_NAME_BYTES + 8];
    snprintf(name, sizeof name, "gemm %s", tensor_name);
    return seed_stream(name);
}

// 1/96 to 1/32: the largest deviate, 4, stays below 448 units of e4m3.
double gemm_scale(uint64_t seed, uint64_t stream) {
    struct dev_random random = dev_random_make(seed, stream);
    return (double)(float)((1 + 2 * dev_random_uniform(&random, 0)) / 96);
}

static double scale_of(enum distribution distribution, uint64_t seed, const char *tensor_name) {
    char name[TENSOR_NAME_BYTES + 8];
    if (distribution == DISTRIBUTION_EXACT || distribution == DISTRIBUTION_CANCEL) return EXACT_SCALE;
    if (distribution == DISTRIBUTION_SUBNORMAL) return 1; // the elements' own size matters
    snprintf(name, sizeof name, "%.1s_scale", tensor_name);
    return gemm_scale(seed, gemm_stream(name));
}

// How large the values of A and of B are for DISTRIBUTION_SUBNORMAL: A is below the type's smallest normal
// number, and products are about 2^-8 or larger.
static double subnormal_amplitude(int32_t dtype, bool is_a) {
    switch (dtype) {
    case ASSAY_FP16: return is_a ? 0x1p-16 : 0x1p8;
    case ASSAY_FP8_E4M3: return is_a ? 0x1p-8 : 0x1p5;
    default: return is_a ? 0x1p-128 : 0x1p120;
    }
}

// ---- one tensor being filled ----

struct fill {
    const struct gemm_params *params;
    enum distribution distribution;
    bool is_a, is_b;
    struct normal_source normals;
};

// The special element of A is at [m / 2][k / 2], that of B at k / 3 of column n / 4.
static void special_value(const struct fill *f, int64_t row, double *values) {
    const struct gemm_params *p = f->params;
    const double special = f->distribution == DISTRIBUTION_NAN ? (double)NAN : (double)INFINITY;
    const int64_t b_row = p->is_b_transposed ? p->n / 4 : p->k / 3;
    const int64_t b_column = p->is_b_transposed ? p->k / 3 : p->n / 4;
    if (f->is_a && row == p->m / 2) values[p->k / 2] = special;
    if (f->is_b && row == b_row) values[b_column] = special;
}

static double whole(double value, double limit) {
    return fmax(-limit, fmin(limit, nearbyint(value)));
}

// A repeats its first half along k, B repeats it negated; the last one of an odd k is 0.
static void cancel(struct fill *f, int64_t row, size_t count, double *values) {
    const struct gemm_params *p = f->params;
    const int64_t half = p->k / 2;
    const bool is_along_k = f->is_a || (f->is_b && p->is_b_transposed);
    const double sign = f->is_b ? -1 : 1;
    if (is_along_k) {
        for (int64_t i = 0; i < half; ++i) values[half + i] = sign * values[i];
        if (p->k % 2) values[p->k - 1] = 0;
    } else if (f->is_b && row >= half) {
        normal_row(&f->normals, (uint64_t)(row - half) * count, count, values);
        for (size_t i = 0; i < count; ++i) values[i] = row < 2 * half ? sign * whole(3 * values[i], 5) : 0;
    }
}

static void row_values(struct fill *f, int64_t row, size_t count, double *values) {
    normal_row(&f->normals, (uint64_t)row * count, count, values);
    switch (f->distribution) {
    case DISTRIBUTION_EXACT:
        for (size_t i = 0; i < count; ++i) values[i] = whole(values[i], 2);
        break;
    case DISTRIBUTION_CANCEL:
        for (size_t i = 0; i < count; ++i) values[i] = whole(3 * values[i], 5);
        cancel(f, row, count, values);
        break;
    case DISTRIBUTION_SUBNORMAL:
        for (size_t i = 0; i < count && (f->is_a || f->is_b); ++i)
            values[i] *= subnormal_amplitude(f->params->dtype, f->is_a);
        break;
    case DISTRIBUTION_NAN:
    case DISTRIBUTION_INF: special_value(f, row, values); break;
    default: break;
    }
}

int gemm_fill(const struct problem *problem, const char *distribution, uint64_t seed, uint32_t tensor_index,
              const struct assay_tensor *tensor, struct err *err) {
    (void)tensor_index; // the name is enough
    struct fill f = {.params = gemm_params_of(problem),
                     .distribution = distribution_parse(distribution),
                     .is_a = str_equal(tensor->name, "a"),
                     .is_b = str_equal(tensor->name, "b")};
    if (f.distribution == DISTRIBUTION_INVALID)
        return err_set(err, ERR_USAGE, "gemm has no input distribution '%s'", distribution);
    if (tensor_is_statistic(tensor)) {
        *(float *)tensor->data = (float)scale_of(f.distribution, seed, tensor->name);
        return 0;
    }
    const int64_t rows = tensor->dim_count == 2 ? tensor->shape[0] : 1;
    const size_t count = (size_t)tensor->shape[tensor->dim_count - 1], element = dtype_bytes(tensor->dtype);
    const bool is_scaled = gemm_is_scaled(f.params) && (f.is_a || f.is_b);
    const double inverse = is_scaled ? 1 / scale_of(f.distribution, seed, tensor->name) : 1;
    double *values = mem_try_array(count, sizeof *values);
    if (!values) return err_set(err, ERR_UNAVAILABLE, "no memory to fill '%s'", tensor->name);
    normal_source_init(&f.normals, seed, gemm_stream(tensor->name));
    for (int64_t row = 0; row < rows; ++row) {
        row_values(&f, row, count, values);
        for (size_t i = 0; i < count && is_scaled; ++i) values[i] *= inverse;
        dtype_store_row(tensor->dtype, (char *)tensor->data + (size_t)(row * tensor->stride[0]) * element,
                        count, values);
    }
    free(values);
    return 0;
}
