// SPDX-License-Identifier: Apache-2.0
//
// The arguments of gemm's device kernels: filling the inputs, the float64 oracle, the same-precision
// reference. Rules as in device_kernel_args.h. Strides are in elements, between rows; results are packed.
#ifndef OP_GEMM_DEVICE_GEMM_ARGS_H
#define OP_GEMM_DEVICE_GEMM_ARGS_H

#include <stdint.h>

#define DEV_GEMM_TILE    64  // rows and columns of C that a block works on
#define DEV_GEMM_THREADS 256 // of a block of the oracle and the same-precision reference

// Any grid: input distribution "normal" of A, B or the bias (one row).
struct dev_gemm_fill {
    void *data;
    const double *table; // of random_normal.h
    int64_t rows, columns, stride;
    uint64_t seed, stream;
    double factor; // of all values: 1, or 1 / scale in fp8
    int32_t dtype, reserved;
};
// One thread: the scale of a tensor.
struct dev_gemm_scale {
    float *data;
    float value, reserved;
};

// Shared by the oracle and the same-precision reference.
struct dev_gemm {
    const void *a, *b, *bias;       // bias: null when there is none
    const float *a_scale, *b_scale; // null: none
    int64_t m, n, k, stride_a, stride_b;
    int32_t dtype, dtype_out;            // enum assay_dtype: of A and B; of the bias and C
    int32_t is_b_transposed, activation; // enum gemm_activation
    uint32_t row_first, row_step;        // only rows row_first, row_first + row_step, ... and the last one
};
// Any grid of blocks of DEV_GEMM_THREADS.
struct dev_gemm_oracle {
    struct dev_gemm problem;
    double *out;
};
// Any grid of blocks of DEV_GEMM_THREADS; row_step must be 1, row_first 0.
struct dev_gemm_same_precision {
    struct dev_gemm problem;
    void *out;
};

#endif
