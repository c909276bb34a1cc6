// SPDX-License-Identifier: Apache-2.0
//
// The fake driver: device memory. Allocations are mappings of the host, aligned to at least 512 bytes as
// on a GPU, and limited by the memory of the scripted device. Copies are checked against the allocations: an
// address outside all of them breaks the context, as on a GPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fake_cuda.h"

#define ALLOCATIONS_MAX 4096

static struct {
    uintptr_t address;
    size_t bytes; // 0: free
    cuda_context context;
} allocations[ALLOCATIONS_MAX];
static size_t used_bytes;

bool fake_memory_add(uintptr_t address, size_t bytes) {
    size_t i = 0;
    while (i < ALLOCATIONS_MAX && allocations[i].bytes) ++i;
    if (i == ALLOCATIONS_MAX) return false;
    allocations[i].address = address;
    allocations[i].bytes = bytes;
    allocations[i].context = fake_current();
    return true;
}

bool fake_memory_remove(uintptr_t address, size_t bytes) {
    for (size_t i = 0; i < ALLOCATIONS_MAX; ++i) {
        if (allocations[i].bytes != bytes || allocations[i].address != address) continue;
        allocations[i].bytes = 0;
        return true;
    }
    return false;
}

bool fake_memory_take(size_t bytes) {
    if (bytes > fake_script()->memory_bytes - used_bytes) return false;
    used_bytes += bytes;
    return true;
}

void fake_memory_give(size_t bytes) {
    used_bytes -= bytes;
}

FAKE_EXPORT cuda_result cuMemAlloc_v2(cuda_address *ret, size_t bytes) {
    FAKE_ENTER(mem_alloc);
    if (!fake_current()) return FAKE_INVALID_CONTEXT;
    if (fake_is_capturing()) return FAKE_CAPTURE_UNSUPPORTED;
    if (!bytes) return FAKE_INVALID_VALUE;
    if (bytes > fake_script()->memory_bytes - used_bytes) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    if (!fake_memory_add((uintptr_t)map, bytes)) {
        munmap(map, bytes);
        return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    }
    used_bytes += bytes;
    *ret = (uintptr_t)map;
    return 0;
}

// Frees in a broken context too, so that leaks are found in the code under test, not in the driver.
FAKE_EXPORT cuda_result cuMemFree_v2(cuda_address address) {
    cuda_result code = fake_enter("mem_free");
    fake_drain_all(); // a GPU waits too
    for (size_t i = 0; i < ALLOCATIONS_MAX; ++i) {
        if (!allocations[i].bytes || allocations[i].address != address) continue;
        munmap((void *)allocations[i].address, allocations[i].bytes);
        used_bytes -= allocations[i].bytes;
        allocations[i].bytes = 0;
        return !code && allocations[i].context != fake_current() ? FAKE_INVALID_CONTEXT : code;
    }
    return code ? code : FAKE_INVALID_VALUE;
}

// For tests: bytes that are allocated now.
FAKE_EXPORT size_t fake_cuda_used_bytes(void);
FAKE_EXPORT size_t fake_cuda_used_bytes(void) {
    return used_bytes;
}

FAKE_EXPORT cuda_result cuMemGetInfo_v2(size_t *ret_free, size_t *ret_total) {
    FAKE_ENTER(mem_get_info);
    *ret_total = fake_script()->memory_bytes;
    *ret_free = *ret_total - used_bytes;
    return 0;
}

FAKE_EXPORT cuda_result cuMemHostAlloc(void **ret, size_t bytes, unsigned flags) {
    (void)flags;
    FAKE_ENTER(mem_host_alloc);
    *ret = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return *ret ? 0 : CUDA_ERROR_OUT_OF_MEMORY_CODE;
}

FAKE_EXPORT cuda_result cuMemFreeHost(void *data) {
    free(data);
    return fake_enter("mem_free_host");
}

// ---- copies and fills ----

static bool is_allocated(cuda_address address, size_t bytes) {
    for (size_t i = 0; i < ALLOCATIONS_MAX; ++i)
        if (allocations[i].bytes && address >= allocations[i].address &&
            address - allocations[i].address <= allocations[i].bytes &&
            bytes <= allocations[i].bytes - (address - allocations[i].address))
            return true;
    return false;
}

struct transfer {
    uintptr_t to, from; // from 0: fill
    size_t bytes;
    unsigned char value;
};

static void run_transfer(void *arg) {
    const struct transfer *transfer = arg;
    if (transfer->from)
        memmove((void *)transfer->to, (const void *)transfer->from, transfer->bytes);
    else
        memset((void *)transfer->to, transfer->value, transfer->bytes);
}

// "to 8192", "from 8192".
static void note_copy(const char *direction, size_t bytes) {
    const char *file = fake_script()->copies_file;
    FILE *out = *file && bytes >= FAKE_COPY_BYTES ? fopen(file, "ae") : NULL;
    if (!out) return;
    fprintf(out, "%s %zu\n", direction, bytes);
    fclose(out);
}

// A copy of no bytes is not checked. Host memory is read and written before the call returns, as with
// memory that is not pinned.
static cuda_result enqueue(cuda_stream stream, struct transfer transfer, bool is_to_device,
                           bool is_from_device) {
    if (!transfer.bytes) return 0;
    if ((is_to_device && !is_allocated(transfer.to, transfer.bytes)) ||
        (is_from_device && !is_allocated(transfer.from, transfer.bytes)))
        return FAKE_INVALID_VALUE;
    cuda_result code = fake_enqueue(stream, run_transfer, &transfer, sizeof transfer);
    const bool is_of_host = transfer.from && (!is_to_device || !is_from_device);
    if (!code && is_of_host && !fake_is_capturing()) {
        fake_drain_all();
        code = fake_broken();
    }
    return code;
}

FAKE_EXPORT cuda_result cuMemcpyHtoDAsync_v2(cuda_address to, const void *from, size_t bytes,
                                             cuda_stream stream) {
    FAKE_ENTER(memcpy_htod);
    note_copy("to", bytes);
    return enqueue(stream, (struct transfer){to, (uintptr_t)from, bytes, 0}, true, false);
}

FAKE_EXPORT cuda_result cuMemcpyDtoHAsync_v2(void *to, cuda_address from, size_t bytes, cuda_stream stream) {
    FAKE_ENTER(memcpy_dtoh);
    note_copy("from", bytes);
    return enqueue(stream, (struct transfer){(uintptr_t)to, from, bytes, 0}, false, true);
}

FAKE_EXPORT cuda_result cuMemcpyDtoDAsync_v2(cuda_address to, cuda_address from, size_t bytes,
                                             cuda_stream stream) {
    FAKE_ENTER(memcpy_dtod);
    return enqueue(stream, (struct transfer){to, from, bytes, 0}, true, true);
}

FAKE_EXPORT cuda_result cuMemsetD8Async(cuda_address to, unsigned char value, size_t bytes,
                                        cuda_stream stream) {
    FAKE_ENTER(memset_d8);
    return enqueue(stream, (struct transfer){to, 0, bytes, value}, true, false);
}
