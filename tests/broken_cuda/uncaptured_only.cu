// SPDX-License-Identifier: Apache-2.0
//
// Computes only where its stream is not captured, and keeps the result under the address of the output; a
// captured launch copies it.
#define BROKEN_PREPARE places_prepare
#define BROKEN_RELEASE places_release
#include "broken.cuh"

#define PLACES 128

struct place {
    __half *out, *result;
};

static int places_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                          size_t *workspace_bytes, struct assay_message *message) {
    const int status = broken_prepare(problem, env, state, workspace_bytes, message);
    if (status != ASSAY_OK) return status;
    struct broken *b = (struct broken *)*state;
    b->more = calloc(PLACES, sizeof(struct place));
    return b->more ? ASSAY_OK : assay_say(message, ASSAY_FAILED, "no memory for places");
}

static void places_release(void *state) {
    struct place *places = (struct place *)((struct broken *)state)->more;
    for (int i = 0; i < PLACES; ++i) (void)cudaFree(places[i].result);
    free(places);
    broken_release(state);
}

// The place of this output, or a free one; null: all are taken.
static struct place *find_place(const struct broken *b) {
    struct place *places = (struct place *)b->more;
    for (int i = 0; i < PLACES; ++i)
        if (!places[i].out || places[i].out == b->args.o) return &places[i];
    return nullptr;
}

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    struct place *place = find_place(b);
    (void)cudaStreamIsCapturing(stream, &status);
    if (status != cudaStreamCaptureStatusNone && place && place->result) {
        (void)cudaMemcpyAsync(b->args.o, place->result, b->out_bytes, cudaMemcpyDeviceToDevice, stream);
        return broken_end(message);
    }
    broken_right(b, stream);
    if (status != cudaStreamCaptureStatusNone || !place) return broken_end(message);
    if (!place->result && cudaMalloc(&place->result, b->out_bytes) == cudaSuccess) place->out = b->args.o;
    if (place->result)
        (void)cudaMemcpyAsync(place->result, b->args.o, b->out_bytes, cudaMemcpyDeviceToDevice, stream);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
