// SPDX-License-Identifier: Apache-2.0
//
// What bootstrap.c knows of the ranks of a resample's median (its head says how), for bootstrap_ratio.c.
#ifndef STATS_BOOTSTRAP_INTERNAL_H
#define STATS_BOOTSTRAP_INTERNAL_H

#include <stddef.h>

#include "stats/binomial.h"

// Shares below this count as 0: all of them together are less than 1e-12, far below what decides a quantile.
#define BOOTSTRAP_SHARE_FLOOR 1e-15

size_t bootstrap_middle_rank(size_t n);                         // m
struct binomial_tail bootstrap_draws_up_to(size_t n, size_t i); // the tails of N(i) at m
double bootstrap_pair_weight(size_t n, size_t i, double at_m);  // v(i), given P(N(i) = m)

#endif
