// SPDX-License-Identifier: Apache-2.0
//
// Copies of the inputs that rotation sets have as their own, in memory of the judge's alone. Sets get fresh
// inputs for samples and comparisons, and their own back after them: copying these takes a tenth of drawing
// them anew. Kept where kernels cannot write inputs, so that a copy is what was drawn, and all inputs are in
// the host's memory; as many as OWN_INPUTS_BYTES_MAX hold.
#ifndef WORKER_ORDER_OWN_INPUTS_H
#define WORKER_ORDER_OWN_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/check/case_buffers.h"

#define OWN_INPUTS_BYTES_MAX (UINT64_C(64) << 20)

struct own_inputs {
    void **copies; // [count]; each what all inputs of a set hold; NULL: not kept
    char (**hashes)[HASH_HEX_BYTES];
    uint32_t count;
    uint64_t bytes; // of all copies
};

// Keeps what set k holds now, if it is not kept and there is room.
void own_inputs_keep(struct own_inputs *own, uint32_t k, const struct case_buffers *buffers);
// True: set k holds its own inputs again, drawn from this seed. False: they are not kept.
bool own_inputs_restore(const struct own_inputs *own, uint32_t k, struct case_buffers *buffers,
                        uint64_t seed);
// Reads the copy: whoever compares launches on a set's own inputs with launches on fresh ones lets both find
// caches through which the same has gone.
void own_inputs_read(const struct own_inputs *own, uint32_t k, const struct case_buffers *buffers);
void own_inputs_fini(struct own_inputs *own); // accepts a zeroed one

#endif
