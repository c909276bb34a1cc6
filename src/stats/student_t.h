// SPDX-License-Identifier: Apache-2.0
//
// Tails and quantiles of the normal and Student's t distributions, and what a t test can detect.
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

#endif
