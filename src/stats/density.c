// SPDX-License-Identifier: Apache-2.0
//
// See density.h.
#include "stats/density.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "stats/describe.h"

#define VALUES_MAX  256 // more say nothing more to the eye
#define KERNEL_ENDS 4.0 // in bandwidths

double density_bandwidth(const double *sorted, size_t n) {
    if (n < 2) return 0;
    const double sd = describe_sd(sorted, n, describe_mean(sorted, n));
    const double iqr = describe_percentile(sorted, n, 0.75) - describe_percentile(sorted, n, 0.25);
    const double robust = iqr > 0 ? iqr / 1.34 : sd;
    return 0.9 * fmin(sd, robust) * pow((double)n, -0.2);
}

int density_estimate(const double *sorted, size_t n, double bandwidth, const double range[2], double *ret,
                     size_t count) {
    if (n == 0 || !(bandwidth > 0) || count < 2 || !(range[1] > range[0])) return -EINVAL;
    const size_t used = n < VALUES_MAX ? n : VALUES_MAX;
    const double step = (range[1] - range[0]) / (double)(count - 1);
    const double scale = 1 / ((double)used * bandwidth * sqrt(2 * acos(-1)));
    memset(ret, 0, count * sizeof *ret);
    for (size_t i = 0; i < used; ++i) {
        const double value =
            used == n ? sorted[i] : describe_percentile(sorted, n, ((double)i + 0.5) / (double)used);
        const double first = ceil((value - KERNEL_ENDS * bandwidth - range[0]) / step);
        const double last = floor((value + KERNEL_ENDS * bandwidth - range[0]) / step);
        for (double at = fmax(first, 0); at <= last && at < (double)count; ++at) {
            const double z = (range[0] + at * step - value) / bandwidth;
            ret[(size_t)at] += scale * exp(-0.5 * z * z);
        }
    }
    return 0;
}
