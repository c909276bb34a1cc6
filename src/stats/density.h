// SPDX-License-Identifier: Apache-2.0
//
// A kernel density estimate: Gaussian kernels, Silverman's rule of thumb for their width. For the eye: no
// verdict uses it. Errors as in describe.h.
#ifndef STATS_DENSITY_H
#define STATS_DENSITY_H

#include <stddef.h>

// 0.9 min(sd, IQR / 1.34) n^(-1/5) of n ascending values, the smaller one above 0 of both; 0 when all are
// equal or n < 2. Silverman, Density Estimation for Statistics and Data Analysis, 1986, (3.31).
double density_bandwidth(const double *sorted, size_t n);

// Density at count places, evenly from low to high, both included. Above 256 values as many of their
// quantiles stand for them. Kernels end at four bandwidths. -EINVAL: nothing to estimate, bandwidth not above
// 0, count < 2 or high <= low.
int density_estimate(const double *sorted, size_t n, double bandwidth, const double range[2], double *ret,
                     size_t count);

#endif
