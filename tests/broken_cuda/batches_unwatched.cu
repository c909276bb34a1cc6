// SPDX-License-Identifier: Apache-2.0
//
// Batch and skip, unless something that is not this kernel's lies between two of its launches: then each
// computes its own, in its own time.
#define BROKEN_PREPARE prepare
#define BROKEN_RELEASE release
#include "captures.cuh"

struct unwatched {
    struct captures captures;
    bool *is_watched; // [CAPTURES_MOST], in device memory
    cudaGraphNode_t last;
};

__global__ static void watched_set(bool *is_watched, bool value) {
    *is_watched = value;
}

// The first launch of a rotation: all of it, or its own rows.
__global__ static void first_rows(const struct captured *captured, const bool *is_watched, unsigned place,
                                  unsigned blocks) {
    const unsigned all = (*is_watched ? 1 : captured_until_again(captured, place)) * blocks;
    for (unsigned block = blockIdx.x; block < all; block += gridDim.x)
        broken_row<>(captured->launches[place + block / blocks], block % blocks);
}

__global__ static void later_rows(const struct broken_args a, const bool *is_watched) {
    if (*is_watched) broken_row<>(a, blockIdx.x);
}

// The node that the next one of this stream will wait for.
static cudaGraphNode_t newest_node(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t *nodes = nullptr;
    size_t count = 0;
    const cudaError_t code =
        cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &count);
    return code == cudaSuccess && count ? nodes[0] : nullptr;
}

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    struct unwatched *own = (struct unwatched *)b->more;
    unsigned place = 0;
    const struct captured *captured = captures_add(&own->captures, b, stream, &place);
    if (!captured || place >= CAPTURED_MOST) {
        broken_right(b, stream);
        return broken_end(message);
    }
    bool *is_watched = own->is_watched + own->captures.count - 1;
    const bool is_first = place == 0;
    if (is_first || newest_node(stream) != own->last)
        watched_set<<<1, 1, 0, b->own_stream>>>(is_watched, !is_first || newest_node(stream));
    if (b->args.o == own->captures.first.o)
        first_rows<<<CAPTURED_BLOCKS, 32, 0, stream>>>(captured, is_watched, place, broken_blocks(b));
    else
        later_rows<<<broken_blocks(b), 32, 0, stream>>>(b->args, is_watched);
    own->last = newest_node(stream);
    return broken_end(message);
}

static int prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                   size_t *workspace_bytes, struct assay_message *message) {
    const int status = broken_prepare(problem, env, state, workspace_bytes, message);
    if (status != ASSAY_OK) return status;
    struct unwatched *own = (struct unwatched *)calloc(1, sizeof *own);
    ((struct broken *)*state)->more = own;
    if (own && captures_init(&own->captures) && captures_load(watched_set) && captures_load(first_rows) &&
        captures_load(later_rows) && cudaMalloc(&own->is_watched, CAPTURES_MOST) == cudaSuccess)
        return ASSAY_OK;
    return assay_say(message, ASSAY_FAILED, "no memory for what was captured");
}

static void release(void *state) {
    struct unwatched *own = (struct unwatched *)((struct broken *)state)->more;
    captures_fini(&own->captures);
    (void)cudaFree(own->is_watched);
    free(own);
    broken_release(state);
}

BROKEN_KERNEL(launch)
