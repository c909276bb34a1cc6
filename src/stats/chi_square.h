// SPDX-License-Identifier: Apache-2.0
//
// The chi-square distribution, and the confidence limits of a standard deviation that follow from it.
// Arguments outside the domain give NaN; none of these functions fails or allocates.
#ifndef STATS_CHI_SQUARE_H
#define STATS_CHI_SQUARE_H

// P(X <= x), x >= 0, df > 0, not necessarily whole: relative error of the smaller tail below 1e-12 up to df =
// 1000, 1e-11 at 1e5.
double chi_square_cdf(double x, double df);

// 0 < p < 1, df > 0. Relative error below 1e-13 for df from 1 to 1e5 and p from 1e-10 to 1 - 1e-10.
double chi_square_quantile(double p, double df);

// One-sided upper confidence limit of a true standard deviation, as a factor on the sd observed with df
// degrees ((R - 1) sd^2 / sigma^2 is chi-square on R - 1 degrees). At 0.95: 2.37 at df = 4, 1.37 at 19, 1.04
// at 999. NaN outside 0 < confidence < 1, df > 0.
double chi_square_sd_factor(double confidence, double df);

#endif
