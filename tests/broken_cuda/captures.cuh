// SPDX-License-Identifier: Apache-2.0
//
// Which launches were captured together, known on the device when their graph is replayed: so a kernel
// tells a sample, which is many launches, from the few of a check, and knows in the first launch what the
// later ones are asked for.
#ifndef CAPTURES_CUH
#define CAPTURES_CUH

#ifndef BROKEN_PREPARE
#define BROKEN_PREPARE captures_prepare
#define BROKEN_RELEASE captures_release
#endif
#include "broken.cuh"

#define CAPTURES_MOST   48u   // of a problem; later ones are launched as if they were not captured
#define CAPTURED_MOST   4096u // launches of one that are known
#define CAPTURED_LONG   8u    // launches that no check makes at once
#define CAPTURED_BLOCKS 4096u // about what the device runs side by side

// In device memory.
struct captured {
    unsigned count;
    struct broken_args launches[CAPTURED_MOST];
};

struct captures {
    struct captured *all; // [CAPTURES_MOST]
    unsigned count;
    unsigned long long id;          // the driver's, of the newest
    unsigned place;                 // of its next launch
    struct broken_args first, last; // what its first and its newest launch were asked for
};

__global__ static void captures_note(struct captured *captured, unsigned place,
                                     const struct broken_args args) {
    if (place < CAPTURED_MOST) captured->launches[place] = args;
    captured->count = place + 1;
}

// Kernels are loaded when they are first used, which a capture may not see.
template <typename Kernel> static inline bool captures_load(Kernel kernel) {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess;
}

static inline bool captures_init(struct captures *captures) {
    return captures_load(captures_note) && captures_load(broken_rows) &&
           cudaMalloc(&captures->all, CAPTURES_MOST * sizeof *captures->all) == cudaSuccess;
}

static inline void captures_fini(struct captures *captures) {
    (void)cudaFree(captures->all);
}

// Of a file that keeps nothing else.
static inline int captures_prepare(const struct assay_problem *problem, const struct assay_env *env,
                                   void **state, size_t *workspace_bytes, struct assay_message *message) {
    const int status = broken_prepare(problem, env, state, workspace_bytes, message);
    if (status != ASSAY_OK) return status;
    struct captures *captures = (struct captures *)calloc(1, sizeof *captures);
    ((struct broken *)*state)->more = captures;
    if (captures && captures_init(captures)) return ASSAY_OK;
    return assay_say(message, ASSAY_FAILED, "no memory for what was captured");
}

static inline void captures_release(void *state) {
    struct captures *captures = (struct captures *)((struct broken *)state)->more;
    captures_fini(captures);
    free(captures);
    broken_release(state);
}

// What this launch is captured in, and its place there; null when it is not captured. Work on the kernel's
// own stream is no part of the capture: it runs now.
static inline struct captured *captures_add(struct captures *captures, const struct broken *b,
                                            cudaStream_t stream, unsigned *ret_place) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    if (cudaStreamGetCaptureInfo(stream, &status, &id) != cudaSuccess ||
        status != cudaStreamCaptureStatusActive)
        return nullptr;
    if (!captures->count || id != captures->id) {
        captures->id = id;
        captures->place = 0;
        ++captures->count;
    }
    if (captures->count > CAPTURES_MOST) return nullptr;
    struct captured *captured = captures->all + captures->count - 1;
    *ret_place = captures->place++;
    captures->last = b->args;
    if (!*ret_place) captures->first = b->args;
    captures_note<<<1, 1, 0, b->own_stream>>>(captured, *ret_place, b->args);
    return captured;
}

__device__ static inline bool captured_is_long(const struct captured *captured) {
    return captured && captured->count >= CAPTURED_LONG;
}

// One warp a block. The launches from `place` on, until its output comes again.
__device__ static inline unsigned captured_until_again(const struct captured *captured, unsigned place) {
    const struct broken_args *launches = captured->launches;
    const unsigned known = captured->count < CAPTURED_MOST ? captured->count : CAPTURED_MOST;
    for (unsigned first = place + 1;; first += 32) {
        const unsigned at = first + threadIdx.x;
        const bool is_end = at >= known || launches[at].o == launches[place].o;
        const unsigned ends = __ballot_sync(0xffffffffu, is_end);
        if (ends) return first + (unsigned)__ffs((int)ends) - 1 - place;
    }
}

#endif
