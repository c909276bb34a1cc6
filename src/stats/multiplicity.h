// SPDX-License-Identifier: Apache-2.0
// What is a p-value worth when it is one of many?
// Holm's step-down adjustment bounds the chance of any false rejection, Benjamini and Hochberg's step-up the
// share of false ones among the rejected. Adjusted values are held to 1 and compared with alpha as a single p
// would be.
#ifndef STATS_MULTIPLICITY_H
#define STATS_MULTIPLICITY_H

#include <stddef.h>

// p[n] in any order, each in [0, 1]; adjusted[n] comes back in the same order and may be p itself. n = 0 is
// fine. -EINVAL: a p outside [0, 1] or NaN. -ENOMEM.
int multiplicity_holm(const double *p, size_t n, double *adjusted);
int multiplicity_benjamini_hochberg(const double *p, size_t n, double *adjusted);

#endif
