// SPDX-License-Identifier: Apache-2.0
//
// Tails and quantiles of the normal, Student's t and chi-square distributions, and what a t test can detect.
// Tails by the incomplete beta function (relative error below 1e-13 up to df = 1e4, 1e-12 at 1e5, 1e-10 at
// 1e6; no underflow before 1e-300), quantiles by safeguarded Newton steps on them, power from the noncentral
// t by quadrature. Arguments outside the domain give NaN; none of these functions fails or allocates.
#ifndef STATS_STUDENT_T_H
#define STATS_STUDENT_T_H

#include <stddef.h>

double normal_sf(double z); // upper tail, P(Z > z)
double normal_quantile(double p);

// df > 0, not necessarily whole. t may be infinite.
double student_t_cdf(double t, double df);
double student_t_sf(double t, double df); // upper tail, P(T > t)
double student_t_quantile(double p, double df);

// P(T' > t) for the noncentral t with df degrees and noncentrality ncp: absolute error below 1e-12 for |ncp|
// <= 1000.
double student_t_noncentral_sf(double t, double df, double ncp);

// The smallest true mean > 0 for which the two-sided one-sample t test at level alpha, with n values of
// standard deviation sd, gives a significant result in the right direction with that power (0.9): the minimum
// detectable effect. In the units of sd; 0 for sd = 0. n >= 2.
double student_t_detectable(double sd, size_t n, double alpha, double power);

// Quantile of chi-square on df degrees by Wilson and Hilferty (1931, PNAS 17, 684): (chi2 / df)^(1/3) is
// nearly normal with mean 1 - 2 / (9 df) and variance 2 / (9 df). At p = 0.05 the quantile is 2.9 % low at df
// = 4, 0.3 % at 9, 0.04 % at 19 and within 2e-6 from 99 on; at 0.01 16 % low at df = 4. NaN outside 0 < p <
// 1, df >= 4.
double chi_square_quantile(double p, double df);

// One-sided upper confidence limit of a true standard deviation, as a factor on the sd observed with df
// degrees ((R - 1) sd^2 / sigma^2 is chi-square on R - 1 degrees). At 0.95: 2.41 at df = 4, 1.37 at 19, 1.04
// at 999; by the quantile's error at most 1.5 % too high, never 1e-6 too low. NaN outside 0 < confidence < 1,
// df >= 4.
double chi_square_sd_factor(double confidence, double df);

#endif
