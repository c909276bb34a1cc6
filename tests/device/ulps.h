// SPDX-License-Identifier: Apache-2.0
//
// How far two results in single precision are apart, and how far they may be.
#ifndef DEVICE_ULPS_H
#define DEVICE_ULPS_H

#include <math.h>

#include "device/device_kernel_core.h"
#include "op/dtype.h"

// Root mean square, in steps of the largest element.
static inline double ulps_apart(int32_t dtype, const void *got, const void *right, uint64_t count) {
    double sum = 0, size = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const double a = dev_load(dtype, got, (int64_t)i), b = dev_load(dtype, right, (int64_t)i);
        if ((isnan(a) && isnan(b)) || a == b) continue;
        sum += isfinite(a - b) ? (a - b) * (a - b) : INFINITY;
        size = fmax(size, fabs(b));
    }
    return sum > 0 ? sqrt(sum / (double)count) / dtype_ulp(dtype, size) : 0;
}

// Exponentials differ in their last bit, so long sums of them by more: a step for each 1024 terms.
static inline double ulps_allowed(const struct assay_tensor *inputs, uint32_t count) {
    int64_t longest = 1;
    for (uint32_t k = 0; k < count; ++k)
        for (int32_t dims = inputs[k].dim_count, d = dims > 2 ? dims - 2 : 0; d < dims; ++d)
            if (inputs[k].shape[d] > longest) longest = inputs[k].shape[d];
    return fmax(1, (double)longest / 1024);
}

#endif
