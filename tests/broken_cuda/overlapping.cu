// SPDX-License-Identifier: Apache-2.0
//
// Every launch works on one of two streams of its own, forked from the passed one and joined again at its
// end, as it should. But the next launch takes that join out of what its stream waits for while it is
// captured: launches run two at a time.
#define BROKEN_PREPARE overlapping_prepare
#define BROKEN_RELEASE overlapping_release
#include "broken.cuh"

struct overlapping {
    cudaStream_t streams[2];
    cudaEvent_t fork, joins[2];
    unsigned long long id;  // of the newest capture; 0: none
    unsigned place;         // of its next launch
    cudaGraphNode_t before; // where its last launch forked
};

static int overlapping_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                               size_t *workspace_bytes, struct assay_message *message) {
    const int status = broken_prepare(problem, env, state, workspace_bytes, message);
    if (status != ASSAY_OK) return status;
    struct overlapping *all = (struct overlapping *)calloc(1, sizeof *all);
    ((struct broken *)*state)->more = all;
    if (all && cudaEventCreateWithFlags(&all->fork, cudaEventDisableTiming) == cudaSuccess &&
        cudaEventCreateWithFlags(&all->joins[0], cudaEventDisableTiming) == cudaSuccess &&
        cudaEventCreateWithFlags(&all->joins[1], cudaEventDisableTiming) == cudaSuccess &&
        cudaStreamCreateWithFlags(&all->streams[0], cudaStreamNonBlocking) == cudaSuccess &&
        cudaStreamCreateWithFlags(&all->streams[1], cudaStreamNonBlocking) == cudaSuccess)
        return ASSAY_OK;
    return assay_say(message, ASSAY_FAILED, "no streams and events");
}

static void overlapping_release(void *state) {
    struct overlapping *all = (struct overlapping *)((struct broken *)state)->more;
    for (int i = 0; i < 2; ++i) {
        (void)cudaStreamDestroy(all->streams[i]);
        (void)cudaEventDestroy(all->joins[i]);
    }
    (void)cudaEventDestroy(all->fork);
    free(all);
    broken_release(state);
}

// The newest node of the capture that the stream waits for, and the capture's number; 0: none.
static unsigned long long newest_node(cudaStream_t stream, cudaGraphNode_t *ret) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    const cudaGraphNode_t *nodes = nullptr;
    size_t count = 0;
#if CUDART_VERSION >= 13000
    const cudaError_t code = cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, &nodes, nullptr, &count);
#else
    const cudaError_t code = cudaStreamGetCaptureInfo_v2(stream, &status, &id, nullptr, &nodes, &count);
#endif
    if (code != cudaSuccess || status != cudaStreamCaptureStatusActive) return 0;
    if (count) *ret = nodes[count - 1];
    return id;
}

static void wait_for_only(cudaStream_t stream, cudaGraphNode_t node) {
#if CUDART_VERSION >= 13000
    (void)cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies);
#else
    (void)cudaStreamUpdateCaptureDependencies(stream, &node, 1, cudaStreamSetCaptureDependencies);
#endif
}

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    struct overlapping *all = (struct overlapping *)b->more;
    cudaGraphNode_t node = nullptr;
    const unsigned long long id = newest_node(stream, &node);
    if (!id) {
        broken_right(b, stream);
        return broken_end(message);
    }
    if (id != all->id) {
        all->id = id;
        all->place = 0;
    }
    const unsigned which = all->place % 2;
    if (all->place++) wait_for_only(stream, all->before);
    (void)cudaMemsetAsync(b->own, 0, 1, stream);
    (void)newest_node(stream, &all->before);
    (void)cudaEventRecord(all->fork, stream);
    (void)cudaStreamWaitEvent(all->streams[which], all->fork, 0);
    broken_right(b, all->streams[which]);
    (void)cudaEventRecord(all->joins[which], all->streams[which]);
    (void)cudaStreamWaitEvent(stream, all->joins[which], 0);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
