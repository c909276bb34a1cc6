// SPDX-License-Identifier: Apache-2.0
//
// See energy_split.h. With W(a, b) the sum of |x_i - x_j| over all pairs within [a, b), the sum between [0,
// t) and [t, u) is W(0, u) - W(0, t) - W(t, u). W(0, .) is one array; W(t, .) becomes W(t - 1, .) in one
// pass, so that all pairs (t, u) cost O(1) each and no matrix is kept.
#include "stats/energy_split.h"

#include <math.h>

// The mean distance of a pair within a part of n values, whose sum is `sum`; one value has none.
static double mean_within(double sum, double n) {
    return n < 2.0 ? 0.0 : 2.0 * sum / (n * (n - 1.0));
}

static double divergence(double between, double left, double right, double n, double m) {
    return n * m / (n + m) * (2.0 * between / (n * m) - mean_within(left, n) - mean_within(right, m));
}

struct energy_split energy_split_best(const double *values, size_t count, size_t least, double *scratch) {
    double *const from_0 = scratch, *const from_place = scratch + count; // W(., i + 1)
    for (size_t i = 0; i < count; ++i) {
        double sum = i ? from_0[i - 1] : 0.0;
        for (size_t k = 0; k < i; ++k) sum += fabs(values[i] - values[k]);
        from_0[i] = sum;
        from_place[i] = 0.0;
    }
    struct energy_split best = {.place = least, .until = count, .divergence = -INFINITY};
    for (size_t place = count; place-- > least;) {
        double sum = 0.0; // of the distances from values[place]
        for (size_t i = place; i < count; ++i) {
            sum += fabs(values[i] - values[place]);
            from_place[i] += sum;
            if (i + 1 - place < least) continue;
            const double between = from_0[i] - from_0[place - 1] - from_place[i];
            const double found =
                divergence(between, from_0[place - 1], from_place[i], (double)place, (double)(i + 1 - place));
            if (found >= best.divergence)
                best = (struct energy_split){.place = place, .until = i + 1, .divergence = found};
        }
    }
    return best;
}
