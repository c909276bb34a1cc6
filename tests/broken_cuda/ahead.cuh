// SPDX-License-Identifier: Apache-2.0
//
// A thread computes, before the time of a sample begins, what its first launches will be asked for;
// launches that were captured skip what was computed just before. A file says when the moment has come:
// ahead_is_time, called about every 75 us.
#ifndef AHEAD_CUH
#define AHEAD_CUH

#define BROKEN_PREPARE ahead_prepare
#define BROKEN_RELEASE ahead_release
#include "captures.cuh"
#include "watch.cuh"

#define AHEAD_LAUNCHES 64u   // so many at once
#define AHEAD_BLOCKS   8192u // and no more than about what the device runs side by side
#define AHEAD_PAUSE_NS 20000

// In device memory: what was computed ahead.
struct ahead_marks {
    const struct captured *captured;
    unsigned long long done_ns[AHEAD_LAUNCHES]; // device's timer; 0: not done
    unsigned blocks_done[AHEAD_LAUNCHES];
};

struct ahead {
    struct captures captures;
    struct ahead_marks *marks;
    unsigned blocks; // of a launch
    int device;
    cudaStream_t own_stream, watched;
    pthread_t thread;
    bool has_thread;
    std::atomic<const struct captured *> captured; // the newest one that is long
    std::atomic<unsigned> count;                   // its launches
    std::atomic<uint64_t> called_ns;               // the host's clock at the last call of launch
    std::atomic<bool> is_over;
    // of ahead_is_time
    uint64_t looked_ns;
    bool was_busy;
};

static bool ahead_is_time(struct ahead *ahead, uint64_t now_ns);

// Many launches at once. The block that is the last of its launch says that all of it is there.
__global__ static void ahead_rows(const struct captured *captured, struct ahead_marks *marks,
                                  unsigned blocks) {
    const unsigned launch = blockIdx.x / blocks;
    marks->captured = captured;
    broken_row<>(captured->launches[launch], blockIdx.x % blocks);
    __threadfence();
    __syncwarp();
    if (threadIdx.x || atomicAdd(&marks->blocks_done[launch], 1) + 1 != blocks) return;
    marks->blocks_done[launch] = 0;
    *(volatile unsigned long long *)&marks->done_ns[launch] = watch_device_ns();
}

// A launch of a sample: nothing, if it was computed at most most_ns ago.
__global__ static void ahead_rest(const struct broken_args a, const struct captured *captured, unsigned place,
                                  const struct ahead_marks *marks, unsigned long long most_ns) {
    if (place < AHEAD_LAUNCHES && marks->captured == captured &&
        watch_device_ns() - *(const volatile unsigned long long *)&marks->done_ns[place] < most_ns)
        return;
    broken_row<>(a, blockIdx.x);
}

static inline void ahead_compute(struct ahead *ahead) {
    const struct captured *captured = ahead->captured;
    unsigned launches = ahead->count;
    if (launches > AHEAD_LAUNCHES) launches = AHEAD_LAUNCHES;
    if (launches > AHEAD_BLOCKS / ahead->blocks) launches = AHEAD_BLOCKS / ahead->blocks;
    if (launches)
        ahead_rows<<<launches * ahead->blocks, 32, 0, ahead->own_stream>>>(captured, ahead->marks,
                                                                           ahead->blocks);
}

static void *ahead_watch(void *arg) {
    struct ahead *ahead = (struct ahead *)arg;
    watch_begin(ahead->device);
    ahead->looked_ns = watch_now_ns();
    while (!ahead->is_over) {
        watch_pause(AHEAD_PAUSE_NS);
        const uint64_t now_ns = watch_now_ns();
        if (ahead_is_time(ahead, now_ns)) ahead_compute(ahead);
        ahead->looked_ns = now_ns;
    }
    return nullptr;
}

static int ahead_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                         size_t *workspace_bytes, struct assay_message *message) {
    const int status = broken_prepare(problem, env, state, workspace_bytes, message);
    if (status != ASSAY_OK) return status;
    struct broken *b = (struct broken *)*state;
    struct ahead *ahead = new struct ahead();
    b->more = ahead;
    ahead->blocks = broken_blocks(b);
    ahead->own_stream = b->own_stream;
    if (captures_init(&ahead->captures) && captures_load(ahead_rows) && captures_load(ahead_rest) &&
        cudaGetDevice(&ahead->device) == cudaSuccess &&
        cudaMalloc(&ahead->marks, sizeof *ahead->marks) == cudaSuccess &&
        cudaMemset(ahead->marks, 0, sizeof *ahead->marks) == cudaSuccess)
        return ASSAY_OK;
    return assay_say(message, ASSAY_FAILED, "no memory for what is computed ahead");
}

static void ahead_release(void *state) {
    struct broken *b = (struct broken *)state;
    struct ahead *ahead = (struct ahead *)b->more;
    ahead->is_over = true;
    if (ahead->has_thread) pthread_join(ahead->thread, nullptr);
    (void)cudaStreamSynchronize(b->own_stream);
    captures_fini(&ahead->captures);
    (void)cudaFree(ahead->marks);
    delete ahead;
    broken_release(state);
}

// most_ns: how long what was computed ahead is taken for the launch's own.
static inline void ahead_launch(struct broken *b, cudaStream_t stream, unsigned long long most_ns) {
    struct ahead *ahead = (struct ahead *)b->more;
    unsigned place = 0;
    struct captured *captured = captures_add(&ahead->captures, b, stream, &place);
    ahead->called_ns = watch_now_ns();
    if (!captured) {
        broken_right(b, stream);
        return;
    }
    ahead_rest<<<broken_blocks(b), 32, 0, stream>>>(b->args, captured, place, ahead->marks, most_ns);
    if (place + 1 < CAPTURED_LONG) return;
    ahead->watched = stream;
    ahead->count = place + 1;
    ahead->captured = captured;
    if (!ahead->has_thread)
        ahead->has_thread = pthread_create(&ahead->thread, nullptr, ahead_watch, ahead) == 0;
}

#endif
