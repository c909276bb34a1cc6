// SPDX-License-Identifier: Apache-2.0
//
// The fake driver: memory that processes share. A handle stands for a memory file, which lives as long as
// the handle or a mapping of it does; addresses are reserved first, then the memory is mapped there, and it
// can be used once access was given.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_cuda.h"

#define STEP        ((size_t)2 << 20)
#define RANGES_MAX  4096
#define HANDLES_MAX 4096
#define WINDOWS_MAX 16384

// Handle i + 1. A slot is free when it is neither held nor mapped.
static struct {
    int fd, maps;
    size_t bytes;
    bool is_held;
    bool is_created; // here: counts as memory of this process
} handles[HANDLES_MAX];

// Addresses: reserved ones, and windows in them on whole handles.
static struct {
    uintptr_t address;
    size_t bytes; // 0: free
    int windows;
} ranges[RANGES_MAX];

static struct {
    uintptr_t address;
    size_t bytes, range;
    cuda_memory_handle handle; // 0: free
    bool has_access;
} windows[WINDOWS_MAX];

static cuda_result add_handle(int fd, size_t bytes, bool is_created, cuda_memory_handle *ret) {
    for (size_t i = 0; i < HANDLES_MAX; ++i) {
        if (handles[i].is_held || handles[i].maps) continue;
        handles[i].fd = fd;
        handles[i].bytes = bytes;
        handles[i].is_held = true;
        handles[i].is_created = is_created;
        *ret = i + 1;
        return 0;
    }
    close(fd);
    return CUDA_ERROR_OUT_OF_MEMORY_CODE;
}

static bool is_held(cuda_memory_handle handle) {
    return handle && handle <= HANDLES_MAX && handles[handle - 1].is_held;
}

static void drop_if_unused(cuda_memory_handle handle) {
    const size_t i = (size_t)handle - 1;
    if (handles[i].is_held || handles[i].maps) return;
    close(handles[i].fd);
    if (handles[i].is_created) fake_memory_give(handles[i].bytes);
}

static bool is_usual(const struct cuda_memory_properties *properties) {
    return properties && properties->type == CUDA_MEMORY_PINNED_TYPE &&
           properties->handle_types == CUDA_MEMORY_BY_DESCRIPTOR &&
           properties->location.type == CUDA_MEMORY_ON_DEVICE;
}

FAKE_EXPORT cuda_result cuMemGetAllocationGranularity(size_t *ret,
                                                      const struct cuda_memory_properties *properties,
                                                      int option) {
    FAKE_ENTER(mem_get_granularity);
    if (!is_usual(properties) || option != CUDA_GRANULARITY_LEAST) return FAKE_INVALID_VALUE;
    *ret = STEP;
    return 0;
}

FAKE_EXPORT cuda_result cuMemCreate(cuda_memory_handle *ret, size_t bytes,
                                    const struct cuda_memory_properties *properties,
                                    unsigned long long flags) {
    FAKE_ENTER(mem_create);
    if (!is_usual(properties) || flags || !bytes || bytes % STEP) return FAKE_INVALID_VALUE;
    if (fake_script()->shares_nothing) return FAKE_NOT_SUPPORTED;
    if (!fake_memory_take(bytes)) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    const int fd = memfd_create("fake device memory", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0) return add_handle(fd, bytes, true, ret);
    if (fd >= 0) close(fd);
    fake_memory_give(bytes);
    return CUDA_ERROR_OUT_OF_MEMORY_CODE;
}

FAKE_EXPORT cuda_result cuMemRelease(cuda_memory_handle handle) {
    const cuda_result code = fake_enter("mem_release");
    if (!is_held(handle)) return FAKE_INVALID_VALUE;
    handles[handle - 1].is_held = false;
    drop_if_unused(handle);
    return code;
}

FAKE_EXPORT cuda_result cuMemExportToShareableHandle(void *ret, cuda_memory_handle handle, int handle_type,
                                                     unsigned long long flags) {
    FAKE_ENTER(mem_export);
    if (!is_held(handle) || handle_type != CUDA_MEMORY_BY_DESCRIPTOR || flags) return FAKE_INVALID_VALUE;
    const int fd = fcntl(handles[handle - 1].fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0) return FAKE_INVALID_VALUE;
    *(int *)ret = fd;
    return 0;
}

FAKE_EXPORT cuda_result cuMemImportFromShareableHandle(cuda_memory_handle *ret, void *descriptor,
                                                       int handle_type) {
    FAKE_ENTER(mem_import);
    struct stat about;
    const int given = (int)(uintptr_t)descriptor;
    if (handle_type != CUDA_MEMORY_BY_DESCRIPTOR || fstat(given, &about) < 0) return FAKE_INVALID_VALUE;
    const int fd = fcntl(given, F_DUPFD_CLOEXEC, 3);
    return fd < 0 ? FAKE_INVALID_VALUE : add_handle(fd, (size_t)about.st_size, false, ret);
}

// ---- addresses ----

static size_t find_range(cuda_address address, size_t bytes) {
    size_t i = 0;
    while (i < RANGES_MAX && (ranges[i].address != address || ranges[i].bytes != bytes)) ++i;
    return i;
}

FAKE_EXPORT cuda_result cuMemAddressReserve(cuda_address *ret, size_t bytes, size_t alignment,
                                            cuda_address wanted, unsigned long long flags) {
    FAKE_ENTER(mem_reserve);
    if (!bytes || bytes % STEP || alignment || wanted || flags) return FAKE_INVALID_VALUE;
    const size_t i = find_range(0, 0);
    if (i == RANGES_MAX) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    void *map = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    ranges[i].address = *ret = (uintptr_t)map;
    ranges[i].bytes = bytes;
    return 0;
}

FAKE_EXPORT cuda_result cuMemAddressFree(cuda_address address, size_t bytes) {
    const cuda_result code = fake_enter("mem_address_free");
    const size_t i = find_range(address, bytes);
    if (i == RANGES_MAX || ranges[i].windows) return FAKE_INVALID_VALUE;
    munmap((void *)ranges[i].address, bytes);
    ranges[i].address = 0;
    ranges[i].bytes = 0;
    return code;
}

// The reserved range that holds all of it and has nothing mapped there.
static size_t find_room(cuda_address address, size_t bytes) {
    for (size_t w = 0; w < WINDOWS_MAX; ++w)
        if (windows[w].handle && windows[w].address < address + bytes &&
            address < windows[w].address + windows[w].bytes)
            return RANGES_MAX;
    size_t i = 0;
    while (i < RANGES_MAX && (address < ranges[i].address || address - ranges[i].address > ranges[i].bytes ||
                              ranges[i].bytes - (address - ranges[i].address) < bytes))
        ++i;
    return i;
}

static size_t find_window(cuda_address address, size_t bytes) {
    size_t w = 0;
    while (w < WINDOWS_MAX &&
           (!windows[w].handle || windows[w].address != address || windows[w].bytes != bytes))
        ++w;
    return w;
}

FAKE_EXPORT cuda_result cuMemMap(cuda_address address, size_t bytes, size_t offset, cuda_memory_handle handle,
                                 unsigned long long flags) {
    FAKE_ENTER(mem_map);
    const size_t i = find_room(address, bytes);
    if (i == RANGES_MAX || (address - ranges[i].address) % STEP || !is_held(handle) || offset || flags)
        return FAKE_INVALID_VALUE;
    if (handles[handle - 1].bytes != bytes) return FAKE_INVALID_VALUE;
    size_t w = 0;
    while (w < WINDOWS_MAX && windows[w].handle) ++w;
    if (w == WINDOWS_MAX) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    windows[w].address = address;
    windows[w].bytes = bytes;
    windows[w].range = i;
    windows[w].handle = handle;
    ++ranges[i].windows;
    ++handles[handle - 1].maps;
    return 0;
}

FAKE_EXPORT cuda_result cuMemSetAccess(cuda_address address, size_t bytes,
                                       const struct cuda_memory_access *access, size_t count) {
    FAKE_ENTER(mem_set_access);
    const size_t w = find_window(address, bytes);
    if (w == WINDOWS_MAX || count != 1 || access->flags != CUDA_MEMORY_READ_WRITE) return FAKE_INVALID_VALUE;
    const int fd = handles[windows[w].handle - 1].fd;
    if (mmap((void *)windows[w].address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
        MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    if (!windows[w].has_access && !fake_memory_add(windows[w].address, bytes))
        return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    windows[w].has_access = true;
    return 0;
}

// Work that is enqueued is not waited for: whoever unmaps has to.
FAKE_EXPORT cuda_result cuMemUnmap(cuda_address address, size_t bytes) {
    const cuda_result code = fake_enter("mem_unmap");
    const size_t w = find_window(address, bytes);
    if (w == WINDOWS_MAX) return FAKE_INVALID_VALUE;
    (void)mmap((void *)windows[w].address, bytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (windows[w].has_access) fake_memory_remove(windows[w].address, bytes);
    --handles[windows[w].handle - 1].maps;
    --ranges[windows[w].range].windows;
    drop_if_unused(windows[w].handle);
    windows[w].handle = 0;
    windows[w].has_access = false;
    return code;
}
