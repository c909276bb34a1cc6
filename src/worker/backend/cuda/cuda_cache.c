// SPDX-License-Identifier: Apache-2.0
//
// Emptying the second-level cache for cold runs, and proof that it was emptied. Lines that a kernel has
// pinned there (persisting accesses) survive a walk over other memory, so they are released first. Whether
// the walk is enough is not assumed: once a process a canary, a chain of dependent loads, is timed when it
// lies in the cache and after a flush.
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "device/device_kernel_args.h"
#include "worker/backend/cuda/cuda_internal.h"

#define FLUSH_COVER        2u               // times the cache that the walk covers
#define FLUSH_BYTES_LEAST  (64u * 1048576u) // where the cache's size is not known
#define FLUSH_BLOCKS_PER   8u               // a multiprocessor
#define FLUSH_THREADS      256u
#define CHASE_LINKS        4096u
#define CHASE_STRIDE_WORDS 128u  // 512 bytes: 2 MiB in all, more than a first-level cache holds
#define CHASE_JUMP         1229u // links further on, prime to their count: nothing that a prefetcher follows
#define CHASE_RATIO_LEAST  1.3   // memory is at least that much slower than the cache
// after which a chain that nothing has read since it was written is not in the cache
#define MISS_FLUSHES     4u
#define MISS_SHARE_LEAST 0.8 // of the cycles of such a chain

struct cuda_cache {
    cuda_address data, links, unread_links, cycles; // unread: of a second chain
    uint64_t bytes;
    bool is_ready;  // memory is there
    bool is_proved; // the canary was asked
    char canary_doubt[sizeof((struct device *)0)
                          ->flush_doubt]; // what it said against all flushes; "": nothing
};

int cuda_cache_open(struct cuda_device *machine, struct err *err) {
    (void)err; // memory is taken by the first flush: most runs are not cold
    machine->cache = mem_alloc(sizeof *machine->cache);
    return 0;
}

// A call of ours failed: a sentence, and where the context is broken that is kept.
static int fail(struct cuda_device *machine, cuda_result code, const char *what, struct err *err) {
    cuda_note_loss(machine, code);
    return cuda_fail(machine->driver, code, err, "%s", what);
}

static void free_memory(struct cuda_device *machine) {
    cuda_address *all[] = {&machine->cache->data, &machine->cache->links, &machine->cache->unread_links,
                           &machine->cache->cycles};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (*all[i]) machine->driver->mem_free(*all[i]);
        *all[i] = 0;
    }
}

void cuda_cache_close(struct cuda_device *machine) {
    if (!machine->cache) return;
    free_memory(machine);
    free(machine->cache);
    machine->cache = NULL;
}

static int flush(struct cuda_device *machine, struct err *err) {
    const struct dev_flush args = {.data = (void *)(uintptr_t)machine->cache->data,
                                   .bytes = machine->cache->bytes};
    const struct kernel_launch program =
        kernel_launch_make("assay_flush", FLUSH_BLOCKS_PER * (machine->sm_count ? machine->sm_count : 1),
                           FLUSH_THREADS, &args, sizeof args);
    cuda_result code = machine->driver->stream_synchronize(machine->stream); // what runs may pin lines
    if (code == CUDA_OK) code = machine->driver->ctx_reset_persisting_l2();
    if (code) return fail(machine, code, "lines pinned in the L2 cannot be released", err);
    TRY(cuda_program_run(machine, &program, err));
    code = machine->driver->stream_synchronize(machine->stream);
    return code ? fail(machine, code, "the L2 cannot be flushed", err) : 0;
}

static int allocate(struct cuda_device *machine, struct err *err) {
    struct cuda_cache *cache = machine->cache;
    cache->bytes = FLUSH_COVER * machine->device.info.l2_bytes;
    if (cache->bytes < FLUSH_BYTES_LEAST) cache->bytes = FLUSH_BYTES_LEAST;
    const size_t link_bytes = (size_t)CHASE_LINKS * CHASE_STRIDE_WORDS * sizeof(uint32_t);
    free_memory(machine);
    cuda_result code = machine->driver->mem_alloc(&cache->data, cache->bytes);
    if (code == CUDA_OK) code = machine->driver->memset_d8(cache->data, 0, cache->bytes, machine->stream);
    if (code == CUDA_OK) code = machine->driver->mem_alloc(&cache->links, link_bytes);
    if (code == CUDA_OK) code = machine->driver->mem_alloc(&cache->unread_links, link_bytes);
    if (code == CUDA_OK) code = machine->driver->mem_alloc(&cache->cycles, sizeof(uint64_t));
    if (code) return fail(machine, code, "no memory to flush the L2 with", err);
    uint32_t *links = mem_alloc(link_bytes);
    for (uint32_t i = 0; i < CHASE_LINKS; ++i)
        links[(size_t)i * CHASE_STRIDE_WORDS] = (i + CHASE_JUMP) % CHASE_LINKS * CHASE_STRIDE_WORDS;
    code = machine->driver->memcpy_htod(cache->links, links, link_bytes, machine->stream);
    if (code == CUDA_OK)
        code = machine->driver->memcpy_htod(cache->unread_links, links, link_bytes, machine->stream);
    if (code == CUDA_OK) code = machine->driver->stream_synchronize(machine->stream);
    free(links);
    if (code) return fail(machine, code, "no chain of loads for the L2's canary", err);
    cache->is_ready = true;
    return 0;
}

static int chase(struct cuda_device *machine, cuda_address links, uint64_t *ret_cycles, struct err *err) {
    const struct cuda_cache *cache = machine->cache;
    const struct dev_chase args = {.links = (const uint32_t *)(uintptr_t)links,
                                   .cycles = (uint64_t *)(uintptr_t)cache->cycles,
                                   .steps = CHASE_LINKS};
    const struct kernel_launch program = kernel_launch_make("assay_chase", 1, 1, &args, sizeof args);
    TRY(cuda_program_run(machine, &program, err));
    cuda_result code =
        machine->driver->memcpy_dtoh(ret_cycles, cache->cycles, sizeof *ret_cycles, machine->stream);
    if (code == CUDA_OK) code = machine->driver->stream_synchronize(machine->stream);
    return code ? fail(machine, code, "the L2's canary cannot be timed", err) : 0;
}

// What does a chain take that cannot lie in the cache, what one that does, and what is that one after a
// flush? More than in the cache is not enough: a flush that drives out a part is none.
static int prove(struct cuda_device *machine, struct err *err) {
    struct cuda_cache *cache = machine->cache;
    uint64_t missed = 0, warm = 0, cold = 0;
    for (unsigned i = 0; i < MISS_FLUSHES; ++i) TRY(flush(machine, err));
    TRY(chase(machine, cache->unread_links, &missed, err));
    TRY(chase(machine, cache->links, &warm, err)); // brings it in
    TRY(chase(machine, cache->links, &warm, err));
    TRY(flush(machine, err));
    TRY(chase(machine, cache->links, &cold, err));
    cache->is_proved = true;
    const bool is_slower = warm > 0 && (double)cold >= CHASE_RATIO_LEAST * (double)warm;
    if (is_slower && (double)cold >= MISS_SHARE_LEAST * (double)missed) return 0;
    snprintf(
        cache->canary_doubt, sizeof cache->canary_doubt,
        "a flush of the L2 does not show: a load takes %llu cycles before and %llu after it; from memory it "
        "takes %llu, and at least %.1f times as many as before were expected",
        (unsigned long long)warm, (unsigned long long)cold, (unsigned long long)missed, CHASE_RATIO_LEAST);
    return 0;
}

void cuda_flush_cache(struct device *device) {
    struct cuda_device *machine = cuda_device_of(device);
    struct err err = {0};
    if (device->loss != DEVICE_LOSS_NONE) return; // the launch that follows says why
    int code = cuda_enter(machine, &err);
    if (code == 0 && !machine->cache->is_ready) code = allocate(machine, &err);
    if (code == 0 && !machine->cache->is_proved) code = prove(machine, &err);
    if (code == 0) code = flush(machine, &err);
    device->has_flush_failed = code < 0;
    snprintf(device->flush_doubt, sizeof device->flush_doubt, "%.190s",
             code < 0 ? err.text : machine->cache->canary_doubt);
}
