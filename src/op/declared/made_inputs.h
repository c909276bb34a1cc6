// SPDX-License-Identifier: Apache-2.0
//
// What the function `inputs` of an operator's Python file has made for a problem: some sets of the tensors
// that it returns as data, dense. Whoever opens a problem's sets (worker/check/made_pool.h) lends them to the
// fill of its tensors, until the last user has released them.
#ifndef OP_DECLARED_MADE_INPUTS_H
#define OP_DECLARED_MADE_INPUTS_H

#include "op/operator.h"

#define MADE_SETS_MAX   8
#define MADE_SETS_LEAST 2
#define MADE_BYTES_MAX  (UINT64_C(256) << 20) // of a problem's sets, unless the least ones take more

struct made_inputs {
    struct made_inputs *next;
    struct problem problem;
    uint64_t seed;      // whose data the first set is; other seeds take one of the others
    uint32_t set_count; // 1: the function makes the same whatever the seed
    bool is_all;        // every tensor that a kernel reads is one of them: launches on a set are the same
    size_t set_bytes;
    size_t offset[OP_TENSORS_MAX]; // of a made tensor in a set
    char *sets;
    void *memory;     // in which they lie, until the last user is gone
    size_t map_bytes; // of a file that is mapped there; 0: allocated
    uint32_t user_count;
};

// Where the tensors of a declared operator's problem lie in a set, and how many sets there are to be. false:
// none is made.
bool made_inputs_describe(const struct problem *problem, struct made_inputs *ret);
// Takes over *made and its memory; the caller is the first user.
void made_inputs_add(struct made_inputs *made);
struct made_inputs *made_inputs_find(const struct problem *problem); // NULL: nothing is there
void made_inputs_release(struct made_inputs *made);                  // accepts NULL
// Set `set` of a tensor.
const char *made_inputs_tensor(const struct made_inputs *made, uint32_t set, uint32_t tensor_index);
uint32_t made_inputs_set(const struct made_inputs *made, uint64_t seed);

#endif
