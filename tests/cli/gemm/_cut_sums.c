// SPDX-License-Identifier: Apache-2.0
//
// fp8 products as Hopper's tensor cores add them: 32 products and the sum so far at a time, each cut at
// 2^-13 of the largest one's power of two.
#include <assay/kernel.h>
#include <math.h>

#include "common/convert.h"
#include "gemm/gemm_args.h"

#define TERMS 32

static float load(const char *data, int64_t index, int32_t dtype) {
    float value;
    convert_row_to_float(data + index * (int64_t)convert_dtype_bytes(dtype), dtype, 1, &value);
    return value;
}

static double cut_sum(const double *terms, int count, double sum) {
    double largest = fabs(sum);
    for (int i = 0; i < count; ++i) largest = fmax(largest, fabs(terms[i]));
    if (largest == 0) return 0;
    const double unit = ldexp(1, ilogb(largest) - 13);
    double ret = trunc(sum / unit);
    for (int i = 0; i < count; ++i) ret += trunc(terms[i] / unit);
    return ret * unit;
}

static int launch(ASSAY_LAUNCH_ARGS) {
    struct gemm_args a;
    struct gemm_data d;
    if (gemm_args_read(state, &a, message) || gemm_data_read(tensors, &d, message)) return ASSAY_FAILED;
    for (int64_t i = 0; i < a.m * a.n; ++i) {
        const int64_t row = i / a.n, column = i % a.n;
        double sum = 0, terms[TERMS];
        for (int64_t first = 0; first < a.k; first += TERMS) {
            const int count = a.k - first < TERMS ? (int)(a.k - first) : TERMS;
            for (int t = 0; t < count; ++t)
                terms[t] = (double)load(d.a, row * a.stride_a + first + t, a.dtype) *
                           load(d.b, column * a.stride_b + first + t, a.dtype);
            sum = cut_sum(terms, count, sum);
        }
        const float value = (float)sum * gemm_scale_of(&d);
        convert_row_from_float(&value, a.dtype_out, 1,
                               d.c + (row * a.stride_c + column) * (int64_t)convert_dtype_bytes(a.dtype_out));
    }
    return ASSAY_OK;
}

ASSAY_KERNEL(.name = "cut_sums", .op = "gemm", .backend = "cpu", .launch = launch)
