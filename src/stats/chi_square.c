// SPDX-License-Identifier: Apache-2.0
//
// See chi_square.h.
#include "stats/chi_square.h"

#include <math.h>

#include "stats/student_t.h"

double chi_square_quantile(double p, double df) {
    if (!(p > 0.0 && p < 1.0) || !(df >= 4.0)) return NAN;
    double variance = 2.0 / (9.0 * df);
    double root = fmax(0.0, 1.0 - variance + normal_quantile(p) * sqrt(variance));
    return df * root * root * root;
}

double chi_square_sd_factor(double confidence, double df) {
    return sqrt(df / chi_square_quantile(1.0 - confidence, df));
}
