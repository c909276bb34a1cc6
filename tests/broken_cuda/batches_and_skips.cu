// SPDX-License-Identifier: Apache-2.0
//
// Batch and skip: of launches that are captured together, the first computes what all of them are asked for
// until a set of tensors comes again, side by side, and the others nothing. Data are read and written anew
// in every batch, of any length, but no launch does its own work in its own time.
#include "captures.cuh"

__global__ static void leader_rows(const struct captured *captured, unsigned place, unsigned blocks) {
    const unsigned all = captured_until_again(captured, place) * blocks;
    for (unsigned block = blockIdx.x; block < all; block += gridDim.x)
        broken_row<>(captured->launches[place + block / blocks], block % blocks);
}

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    struct captures *captures = (struct captures *)b->more;
    unsigned place = 0;
    const struct captured *captured = captures_add(captures, b, stream, &place);
    if (!captured || place >= CAPTURED_MOST) {
        (void)captures_load(leader_rows);
        broken_right(b, stream);
    } else if (b->args.o == captures->first.o) {
        leader_rows<<<CAPTURED_BLOCKS, 32, 0, stream>>>(captured, place, broken_blocks(b));
    } else {
        (void)cudaMemsetAsync(b->own, 0, 1, stream);
    }
    return broken_end(message);
}

BROKEN_KERNEL(launch)
