// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of gemm's device kernels, once for nvcc (device_gemm.cuh) and for C: elements of the inputs,
// which rows are computed, the epilogue. Rules as in device_kernel_core.h.
#ifndef OP_GEMM_DEVICE_GEMM_CORE_H
#define OP_GEMM_DEVICE_GEMM_CORE_H

#include "device/device_random.h"
#include "op/gemm/device_gemm_args.h"

// Elements of the dense order that block `number` of the cipher gives: filled at their strides.
DEV_FN void dev_gemm_fill_block(const struct dev_gemm_fill *args, uint64_t number) {
    const uint64_t columns = (uint64_t)args->columns, count = (uint64_t)args->rows * columns;
    struct dev_random random = dev_random_make(args->seed, args->stream);
    for (uint64_t i = number * DEV_RANDOM_WORDS; i < (number + 1) * DEV_RANDOM_WORDS && i < count; ++i) {
        const uint64_t row = i / columns;
        const double value = dev_deviate(args->table, dev_random_word(&random, i)) * args->factor;
        dev_store_float(args->dtype, args->data, (int64_t)row * args->stride + (int64_t)(i - row * columns),
                        value);
    }
}

// How many rows are computed, and which row is number `index`; an index past the end gives the last row.
DEV_FN int64_t dev_gemm_row_count(const struct dev_gemm *args) {
    const int64_t step = (int64_t)args->row_step, from_first = args->m - 1 - (int64_t)args->row_first;
    return from_first < 0 ? 1 : from_first / step + 1 + (from_first % step != 0);
}

DEV_FN int64_t dev_gemm_row(const struct dev_gemm *args, int64_t index) {
    const int64_t row = (int64_t)args->row_first + index * (int64_t)args->row_step;
    return row < args->m ? row : args->m - 1;
}

// 0 beyond the extents, which adds nothing.
DEV_FN float dev_gemm_a(const struct dev_gemm *args, int64_t row, int64_t depth) {
    return depth < args->k ? dev_load_float(args->dtype, args->a, row * args->stride_a + depth) : 0.0f;
}

DEV_FN float dev_gemm_b(const struct dev_gemm *args, int64_t depth, int64_t column) {
    if (depth >= args->k || column >= args->n) return 0.0f;
    return dev_load_float(args->dtype, args->b,
                          args->is_b_transposed ? column * args->stride_b + depth
                                                : depth * args->stride_b + column);
}

// The sum becomes an element of C, in float64 and in fp32.
DEV_FN double dev_gemm_finish_double(const struct dev_gemm *args, double sum, int64_t column) {
    if (args->a_scale) sum *= (double)args->a_scale[0] * (double)args->b_scale[0];
    if (args->bias) sum += (double)dev_load_float(args->dtype_out, args->bias, column);
    if (args->activation == 1) return sum > 0 || sum != sum ? sum : 0;
    if (args->activation == 2) return 0.5 * sum * erfc(-sum * 0.70710678118654752440);
    return sum;
}

DEV_FN float dev_gemm_finish_float(const struct dev_gemm *args, float sum, int64_t column) {
    if (args->a_scale) sum *= args->a_scale[0] * args->b_scale[0];
    if (args->bias) sum += dev_load_float(args->dtype_out, args->bias, column);
    if (args->activation == 1) return sum > 0 || sum != sum ? sum : 0;
    if (args->activation == 2) return 0.5f * sum * erfcf(-sum * 0.70710678f);
    return sum;
}

#endif
