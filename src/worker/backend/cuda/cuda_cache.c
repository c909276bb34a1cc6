// SPDX-License-Identifier: Apache-2.0
//
// Flushing the L2 cache for cold runs, and proof that a flush works. Lines that a kernel has pinned there
// (persisting accesses) survive a walk over other memory, so they are released first. Whether the walk is
// enough is measured once per process: a canary, a chain of dependent loads, is timed when it lies in the
// cache and after a flush.
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "device/device_kernel_args.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define FLUSH_COVER        2u               // the walk covers this multiple of the cache
#define FLUSH_BYTES_LEAST  (64u * 1048576u) // if the cache's size is unknown
#define FLUSH_BLOCKS_PER   8u               // per multiprocessor
#define FLUSH_THREADS      256u
#define CHASE_LINKS        4096u
#define CHASE_STRIDE_WORDS 128u  // 512 bytes: 2 MiB in all, more than a first-level cache holds
#define CHASE_JUMP         1229u // links per jump, coprime to their count, so that no prefetcher can follow
#define CHASE_RATIO_LEAST  1.3   // memory is at least this much slower than the cache
#define MISS_FLUSHES       4u    // after these a chain that was written and never read is not in the cache
#define MISS_SHARE_LEAST   0.8   // of the cycles of such a chain

struct cuda_cache {
    cuda_address data, links, unread_links, cycles; // unread_links: a second chain
    uint64_t bytes;
    bool is_ready;  // the memory is allocated
    bool is_proved; // the canary was timed
    // Why the canary doubts every flush; "": no doubt.
    char canary_doubt[sizeof((struct device *)0)->flush_doubt];
};

// The first flush allocates the memory: most runs are not cold.
void cuda_cache_open(struct cuda_device *cuda) {
    cuda->cache = mem_alloc(sizeof *cuda->cache);
}

static void free_memory(struct cuda_device *cuda) {
    cuda_address *all[] = {&cuda->cache->data, &cuda->cache->links, &cuda->cache->unread_links,
                           &cuda->cache->cycles};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (*all[i]) cuda->driver->mem_free(*all[i]);
        *all[i] = 0;
    }
}

void cuda_cache_close(struct cuda_device *cuda) {
    if (!cuda->cache) return;
    free_memory(cuda);
    free(cuda->cache);
    cuda->cache = NULL;
}

static int flush(struct cuda_device *cuda, struct err *err) {
    const struct dev_flush args = {.data = (void *)(uintptr_t)cuda->cache->data, .bytes = cuda->cache->bytes};
    const struct kernel_launch program =
        kernel_launch_make("assay_flush", FLUSH_BLOCKS_PER * (cuda->sm_count ? cuda->sm_count : 1),
                           FLUSH_THREADS, &args, sizeof args);
    cuda_result code = cuda->driver->stream_synchronize(cuda->stream); // a running kernel may pin lines
    if (code == CUDA_OK) code = cuda->driver->ctx_reset_persisting_l2();
    if (code) return cuda_call_fail(cuda, code, err, "lines pinned in the L2 cannot be released");
    TRY(cuda_program_run(cuda, &program, err));
    code = cuda->driver->stream_synchronize(cuda->stream);
    return code ? cuda_call_fail(cuda, code, err, "the L2 cannot be flushed") : 0;
}

static int allocate(struct cuda_device *cuda, struct err *err) {
    struct cuda_cache *cache = cuda->cache;
    cache->bytes = FLUSH_COVER * cuda->device.info.l2_bytes;
    if (cache->bytes < FLUSH_BYTES_LEAST) cache->bytes = FLUSH_BYTES_LEAST;
    const size_t link_bytes = (size_t)CHASE_LINKS * CHASE_STRIDE_WORDS * sizeof(uint32_t);
    free_memory(cuda);
    cuda_result code = cuda->driver->mem_alloc(&cache->data, cache->bytes);
    if (code == CUDA_OK) code = cuda->driver->memset_d8(cache->data, 0, cache->bytes, cuda->stream);
    if (code == CUDA_OK) code = cuda->driver->mem_alloc(&cache->links, link_bytes);
    if (code == CUDA_OK) code = cuda->driver->mem_alloc(&cache->unread_links, link_bytes);
    if (code == CUDA_OK) code = cuda->driver->mem_alloc(&cache->cycles, sizeof(uint64_t));
    if (code) return cuda_call_fail(cuda, code, err, "no memory to flush the L2 with");
    uint32_t *links = mem_alloc(link_bytes);
    for (uint32_t i = 0; i < CHASE_LINKS; ++i)
        links[(size_t)i * CHASE_STRIDE_WORDS] = (i + CHASE_JUMP) % CHASE_LINKS * CHASE_STRIDE_WORDS;
    code = cuda->driver->memcpy_htod(cache->links, links, link_bytes, cuda->stream);
    if (code == CUDA_OK)
        code = cuda->driver->memcpy_htod(cache->unread_links, links, link_bytes, cuda->stream);
    if (code == CUDA_OK) code = cuda->driver->stream_synchronize(cuda->stream);
    free(links);
    if (code) return cuda_call_fail(cuda, code, err, "no chain of loads for the L2's canary");
    cache->is_ready = true;
    return 0;
}

static int chase(struct cuda_device *cuda, cuda_address links, uint64_t *ret_cycles, struct err *err) {
    const struct cuda_cache *cache = cuda->cache;
    const struct dev_chase args = {.links = (const uint32_t *)(uintptr_t)links,
                                   .cycles = (uint64_t *)(uintptr_t)cache->cycles,
                                   .steps = CHASE_LINKS};
    const struct kernel_launch program = kernel_launch_make("assay_chase", 1, 1, &args, sizeof args);
    TRY(cuda_program_run(cuda, &program, err));
    cuda_result code = cuda->driver->memcpy_dtoh(ret_cycles, cache->cycles, sizeof *ret_cycles, cuda->stream);
    if (code == CUDA_OK) code = cuda->driver->stream_synchronize(cuda->stream);
    return code ? cuda_call_fail(cuda, code, err, "the L2's canary cannot be timed") : 0;
}

// Times a chain that cannot lie in the cache, one that does, and that one again after a flush. Slower than in
// the cache is not enough: a flush that evicts only a part does not count.
static int prove(struct cuda_device *cuda, struct err *err) {
    struct cuda_cache *cache = cuda->cache;
    uint64_t missed = 0, warm = 0, cold = 0;
    for (unsigned i = 0; i < MISS_FLUSHES; ++i) TRY(flush(cuda, err));
    TRY(chase(cuda, cache->unread_links, &missed, err));
    TRY(chase(cuda, cache->links, &warm, err)); // loads it
    TRY(chase(cuda, cache->links, &warm, err));
    TRY(flush(cuda, err));
    TRY(chase(cuda, cache->links, &cold, err));
    cache->is_proved = true;
    const bool is_slower = warm > 0 && (double)cold >= CHASE_RATIO_LEAST * (double)warm;
    if (is_slower && (double)cold >= MISS_SHARE_LEAST * (double)missed) return 0;
    snprintf(cache->canary_doubt, sizeof cache->canary_doubt,
             "a flush of the L2 has no clear effect: a load takes %llu cycles before and %llu after it; from "
             "memory it takes %llu, and at least %.1f times as many as before were expected",
             (unsigned long long)warm, (unsigned long long)cold, (unsigned long long)missed,
             CHASE_RATIO_LEAST);
    return 0;
}

void cuda_flush_cache(struct device *device) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct err err = {0};
    if (device->loss != DEVICE_LOSS_NONE) return; // the next launch reports it
    int code = cuda_enter(cuda, &err);
    if (code == 0 && !cuda->cache->is_ready) code = allocate(cuda, &err);
    if (code == 0 && !cuda->cache->is_proved) code = prove(cuda, &err);
    if (code == 0) code = flush(cuda, &err);
    device->has_flush_failed = code < 0;
    snprintf(device->flush_doubt, sizeof device->flush_doubt, "%.190s",
             code < 0 ? err.text : cuda->cache->canary_doubt);
}
