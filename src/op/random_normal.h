// SPDX-License-Identifier: Apache-2.0
//
// Cheap normal deviates for filling tensors: about a nanosecond an element, a pure function of (seed, stream,
// index). Statistics that need exact normals use base/rng.h.
#ifndef OP_RANDOM_NORMAL_H
#define OP_RANDOM_NORMAL_H

#include <stddef.h>
#include <stdint.h>

#define NORMAL_BIN_COUNT 1024 // of equal probability
#define NORMAL_MAX       4.0  // largest magnitude of a deviate: the outermost bins end here

// Mean 0, standard deviation 1.001: the quantiles at k/1024 are the normal distribution's, and between two of
// them the density is constant.
struct normal_table {
    double edge[NORMAL_BIN_COUNT + 1];
};

void normal_table_init(struct normal_table *table);
// One that the whole process shares, for devices: its bytes as they are copied there.
const void *normal_table_shared(size_t *ret_bytes);

// ret_values[i] is deviate number first_index + i of that stream.
void normal_row(const struct normal_table *table, uint64_t seed, uint64_t stream, uint64_t first_index,
                size_t count, double *ret_values);

#endif
