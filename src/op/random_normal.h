// SPDX-License-Identifier: Apache-2.0
//
// Cheap normal deviates for filling tensors: about a nanosecond an element, a pure function of (seed, stream,
// index). The words are a stream cipher's (device/device_random.h), so that tensors do not give their seed
// away. Statistics that need exact normals use base/rng.h.
#ifndef OP_RANDOM_NORMAL_H
#define OP_RANDOM_NORMAL_H

#include <stddef.h>
#include <stdint.h>

#define NORMAL_BIN_COUNT 1024 // of equal probability
#define NORMAL_MAX       4.0  // largest magnitude of a deviate: the outermost bins end here
#define NORMAL_GROUP     128  // deviates that are made at a time: eight blocks of the cipher

// Mean 0, standard deviation 1.001: the quantiles at k/1024 are the normal distribution's, and between two of
// them the density is constant.
struct normal_table {
    double edge[NORMAL_BIN_COUNT + 1];
};

// The one table, shared by the whole process; its bytes are copied to devices.
const void *normal_table_shared(size_t *ret_bytes);

// The deviates of a seed's stream. One thread at a time; about 1 KiB, for the stack.
struct normal_source {
    const struct normal_table *table;
    uint64_t seed, stream;
    uint64_t group; // whose deviates are in values; UINT64_MAX: none yet
    double values[NORMAL_GROUP];
};

void normal_source_init(struct normal_source *ret, uint64_t seed, uint64_t stream);
// ret_values[i] is deviate number first_index + i. Quick where calls go on from each other.
void normal_row(struct normal_source *source, uint64_t first_index, size_t count, double *ret_values);

#endif
