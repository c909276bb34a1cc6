// SPDX-License-Identifier: Apache-2.0
//
// See leaderboard.h.
#include "verdict/leaderboard.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/student_t.h"

#define LEVEL 0.05

static bool is_usable(const struct leader *one) {
    return one->round_count >= 2 && one->speedup_low > 0 && one->speedup_low <= one->speedup &&
           one->speedup <= one->speedup_high && isfinite(one->speedup_high);
}

// Of the mean of the logarithms, from its interval.
static double standard_error(const struct leader *one) {
    const double half = log(one->speedup_high / one->speedup_low) / 2;
    return half / student_t_quantile(1 - LEVEL / 2, (double)one->round_count - 1);
}

static bool is_ahead(const struct leader *one, const struct leader *other, double alpha) {
    const double difference = log(one->speedup / other->speedup);
    const double a = pow(standard_error(one), 2), b = pow(standard_error(other), 2);
    if (difference <= 0) return false;
    if (!(a + b > 0)) return true;
    const double df = (a + b) * (a + b) /
                      (a * a / ((double)one->round_count - 1) + b * b / ((double)other->round_count - 1));
    return difference > sqrt(a + b) * student_t_quantile(1 - alpha / 2, df);
}

static int compare(const void *a, const void *b) {
    const struct leader *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->speedup < y->speedup) - (x->speedup > y->speedup);
}

void leaderboard_rank(struct leader *leaders, size_t count) {
    size_t usable = 0;
    for (size_t i = 0; i < count; ++i) usable += is_usable(&leaders[i]);
    const double alpha = LEVEL / (usable > 1 ? (double)usable * (double)(usable - 1) / 2 : 1);
    for (size_t i = 0; i < count; ++i) {
        leaders[i].rank = is_usable(&leaders[i]);
        for (size_t k = 0; leaders[i].rank && k < count; ++k)
            if (k != i && is_usable(&leaders[k]) && is_ahead(&leaders[k], &leaders[i], alpha))
                ++leaders[i].rank;
    }
    if (count) qsort(leaders, count, sizeof *leaders, compare);
}
