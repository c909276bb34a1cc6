// SPDX-License-Identifier: Apache-2.0
//
// When a sample of its own is over, a thread puts work on the device that is still there when the other
// side is measured: its own process is stopped then, its work is not. The launches themselves are right. A
// file says how much work that is.
#ifndef NEIGHBOUR_CUH
#define NEIGHBOUR_CUH

#define BROKEN_PREPARE neighbour_prepare
#define BROKEN_RELEASE neighbour_release
#include "captures.cuh"
#include "watch.cuh"

#define NEIGHBOUR_THREADS  1024u
#define NEIGHBOUR_PAUSE_NS 1000
#define NEIGHBOUR_LATE_NS  60000 // until the judge has seen that nothing of ours runs any more

struct neighbour {
    struct captures captures;
    volatile unsigned *ended;        // host memory that the device writes: samples that have ended
    unsigned *device_ended, *blocks; // blocks: of the launch that have ended
    unsigned processors;
    int device;
    cudaStream_t own_stream;
    pthread_t thread;
    bool has_thread;
    std::atomic<bool> is_over;
};

__global__ static void neighbour_spin(unsigned long long ns) {
    const unsigned long long begin_ns = watch_device_ns();
    while (watch_device_ns() - begin_ns < ns) continue;
}

// The last block of the last launch of a sample tells the host.
__global__ static void neighbour_rows(const struct broken_args a, const struct captured *captured,
                                      unsigned place, unsigned *blocks, unsigned *ended) {
    broken_row<>(a, blockIdx.x);
    if (threadIdx.x || !captured_is_long(captured) || captured->count != place + 1) return;
    if (atomicAdd(blocks, 1) + 1 != gridDim.x) return;
    *blocks = 0;
    ++*(volatile unsigned *)ended;
    __threadfence_system();
}

static void *neighbour_watch(void *arg) {
    struct neighbour *neighbour = (struct neighbour *)arg;
    unsigned seen = *neighbour->ended;
    watch_begin(neighbour->device);
    while (!neighbour->is_over) {
        watch_pause(NEIGHBOUR_PAUSE_NS);
        if (*neighbour->ended == seen) continue;
        seen = *neighbour->ended;
        watch_pause(NEIGHBOUR_LATE_NS);
        for (unsigned i = 0; i < NEIGHBOUR_SPINS; ++i)
            neighbour_spin<<<neighbour->processors * 2, NEIGHBOUR_THREADS, 0, neighbour->own_stream>>>(
                NEIGHBOUR_SPIN_NS);
    }
    return nullptr;
}

static int neighbour_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                             size_t *workspace_bytes, struct assay_message *message) {
    const int status = broken_prepare(problem, env, state, workspace_bytes, message);
    if (status != ASSAY_OK) return status;
    struct broken *b = (struct broken *)*state;
    struct neighbour *neighbour = new struct neighbour();
    int processors = 1;
    void *ended = nullptr;
    b->more = neighbour;
    neighbour->own_stream = b->own_stream;
    if (captures_init(&neighbour->captures) && captures_load(neighbour_spin) &&
        captures_load(neighbour_rows) && cudaGetDevice(&neighbour->device) == cudaSuccess &&
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, neighbour->device) ==
            cudaSuccess &&
        cudaHostAlloc(&ended, sizeof(unsigned), cudaHostAllocMapped) == cudaSuccess &&
        cudaHostGetDevicePointer((void **)&neighbour->device_ended, ended, 0) == cudaSuccess &&
        cudaMalloc(&neighbour->blocks, sizeof *neighbour->blocks) == cudaSuccess &&
        cudaMemset(neighbour->blocks, 0, sizeof *neighbour->blocks) == cudaSuccess) {
        neighbour->ended = (volatile unsigned *)ended;
        *neighbour->ended = 0;
        neighbour->processors = (unsigned)processors;
        return ASSAY_OK;
    }
    return assay_say(message, ASSAY_FAILED, "no memory that host and device share");
}

static void neighbour_release(void *state) {
    struct broken *b = (struct broken *)state;
    struct neighbour *neighbour = (struct neighbour *)b->more;
    neighbour->is_over = true;
    if (neighbour->has_thread) pthread_join(neighbour->thread, nullptr);
    (void)cudaStreamSynchronize(b->own_stream);
    captures_fini(&neighbour->captures);
    (void)cudaFreeHost((void *)(uintptr_t)neighbour->ended);
    (void)cudaFree(neighbour->blocks);
    delete neighbour;
    broken_release(state);
}

static int neighbour_launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    struct neighbour *neighbour = (struct neighbour *)b->more;
    unsigned place = 0;
    const struct captured *captured = captures_add(&neighbour->captures, b, stream, &place);
    neighbour_rows<<<broken_blocks(b), 32, 0, stream>>>(b->args, captured, place, neighbour->blocks,
                                                        neighbour->device_ended);
    if (captured && !neighbour->has_thread)
        neighbour->has_thread = pthread_create(&neighbour->thread, nullptr, neighbour_watch, neighbour) == 0;
    return broken_end(message);
}

#endif
