// SPDX-License-Identifier: Apache-2.0
//
// What the functions that call a launch hold on their stack: the batch that it is part of.
#ifndef ON_STACK_H
#define ON_STACK_H

#include "hostile.h"

#define STACK_WORDS 2048 // above a launch, that are searched

// Members of assay's own description of a batch, behind state and workspace: copied from its sources, which
// are public.
struct batch_on_stack {
    const void *state, *workspace;
    const struct assay_tensors *sets;
    uint32_t set_count, first_set, launches, first_index;
    uint8_t is_timed;
};

// The batch of this launch, by our state and its sets' lists; NULL: not found.
__attribute__((noinline, unused)) static const struct batch_on_stack *batch_on_stack(const struct broken *b) {
    const uintptr_t *word = __builtin_frame_address(0);
    for (int i = 0; i < STACK_WORDS; ++i) {
        const struct batch_on_stack *batch = (const void *)(word + i);
        if (word[i] != (uintptr_t)b || word[i + 1] != (uintptr_t)b->workspace || !word[i + 2]) continue;
        if (batch->set_count > 0 && batch->set_count <= 4096 && batch->first_set < batch->set_count &&
            batch->launches > 0 && batch->launches <= 1000000 && batch->is_timed <= 1)
            return batch;
    }
    return NULL;
}

#endif
