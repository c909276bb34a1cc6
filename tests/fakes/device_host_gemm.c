// SPDX-License-Identifier: Apache-2.0
//
// The kernels of device_gemm.cuh on the CPU: the plain definition, element by element; fills give the same
// bits, sums are added in the same order.
#include <stdlib.h>
#include <string.h>

#include "fakes/device_host.h"
#include "op/gemm/device_gemm_core.h"

static void run_gemm_fill(const struct dev_gemm_fill *args) {
    const uint64_t count = (uint64_t)args->rows * (uint64_t)args->columns;
    for (uint64_t i = 0; i * DEV_RANDOM_WORDS < count; ++i) dev_gemm_fill_block(args, i);
}

static void run_gemm_scale(const struct dev_gemm_scale *args) {
    *args->data = args->value;
}

static void run_gemm_oracle(const struct dev_gemm_oracle *args) {
    const struct dev_gemm *g = &args->problem;
    for (int64_t i = 0; i < dev_gemm_row_count(g); ++i) {
        const int64_t row = dev_gemm_row(g, i);
        for (int64_t column = 0; column < g->n; ++column) {
            double sum = 0;
            for (int64_t d = 0; d < g->k; ++d)
                sum = fma((double)dev_gemm_a(g, row, d), (double)dev_gemm_b(g, d, column), sum);
            args->out[row * g->n + column] = dev_gemm_finish_double(g, sum, column);
        }
    }
}

static void run_gemm_same_precision(const struct dev_gemm_same_precision *args) {
    const struct dev_gemm *g = &args->problem;
    for (int64_t row = 0; row < g->m; ++row)
        for (int64_t column = 0; column < g->n; ++column) {
            float sum = 0;
            for (int64_t d = 0; d < g->k; ++d) {
                const float product = dev_gemm_a(g, row, d) * dev_gemm_b(g, d, column);
                sum += product;
            }
            dev_store(g->dtype_out, args->out, row * g->n + column,
                      (double)dev_gemm_finish_float(g, sum, column));
        }
}

bool dev_host_gemm(const char *entry, const void *args);
bool dev_host_gemm(const char *entry, const void *args) {
#define RUN(name)                                                                                            \
    if (strcmp(entry, "assay_" #name) == 0) {                                                                \
        struct dev_##name copy;                                                                              \
        memcpy(&copy, args, sizeof copy);                                                                    \
        run_##name(&copy);                                                                                   \
        return true;                                                                                         \
    }
    RUN(gemm_fill)
    RUN(gemm_scale)
    RUN(gemm_oracle)
    RUN(gemm_same_precision)
#undef RUN
    return false;
}
