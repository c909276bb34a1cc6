// SPDX-License-Identifier: Apache-2.0
//
// Memory of the device that other processes can map. It comes in steps of 2 MiB, and a process that has
// mapped it may write it: the importer chooses its access. Who shares inputs looks whether they have changed.
// Tensors lie in such memory whether they are shared or not, so that both forms of isolation measure on the
// same kind.
#include <unistd.h>

#include "worker/backend/cuda/cuda_device_internal.h"

static struct cuda_memory_properties properties_of(const struct cuda_device *cuda) {
    return (struct cuda_memory_properties){
        .type = CUDA_MEMORY_PINNED_TYPE,
        .handle_types = CUDA_MEMORY_BY_DESCRIPTOR,
        .location = {.type = CUDA_MEMORY_ON_DEVICE, .id = cuda->ordinal},
    };
}

static size_t round_up(const struct cuda_device *cuda, size_t bytes) {
    const size_t step = cuda->vmm_step_bytes;
    return (bytes + step - 1) / step * step;
}

static const struct far_rows no_far_rows;

static uint64_t window_count(const struct far_rows *far) {
    return far->count ? far->count : 1;
}

static void unmap(struct cuda_device *cuda, cuda_address address, size_t bytes, const struct far_rows *far,
                  uint64_t mapped_count) {
    for (uint64_t r = 0; r < mapped_count; ++r)
        (void)cuda->driver->mem_unmap(address + r * far->step_bytes, bytes);
    (void)cuda->driver->mem_address_free(address, far_rows_span(far, bytes));
}

static cuda_result map_window(struct cuda_device *cuda, cuda_memory_handle handle, size_t bytes,
                              cuda_address address) {
    const struct cuda_memory_access access = {.location = properties_of(cuda).location,
                                              .flags = CUDA_MEMORY_READ_WRITE};
    cuda_result code = cuda->driver->mem_map(address, bytes, 0, handle, 0);
    if (code) return code;
    code = cuda->driver->mem_set_access(address, bytes, &access, 1);
    if (code) (void)cuda->driver->mem_unmap(address, bytes);
    return code;
}

// Gives the memory an address. The handle stays the caller's: the memory lives as long as it is mapped, too.
static cuda_result map(struct cuda_device *cuda, cuda_memory_handle handle, size_t bytes,
                       const struct far_rows *far, cuda_address *ret) {
    cuda_address address = 0;
    cuda_result code = cuda->driver->mem_reserve(&address, far_rows_span(far, bytes), 0, 0, 0);
    if (code) return code;
    for (uint64_t r = 0; r < window_count(far); ++r) {
        code = map_window(cuda, handle, bytes, address + r * far->step_bytes);
        if (!code) continue;
        unmap(cuda, address, bytes, far, r);
        return code;
    }
    *ret = address;
    return CUDA_OK;
}

int cuda_vmm_alloc(struct cuda_device *cuda, const char *label, size_t bytes, cuda_address *ret, int *ret_fd,
                   struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    const struct cuda_memory_properties properties = properties_of(cuda);
    cuda_memory_handle handle = 0;
    int fd = -1;
    TRY(cuda_enter(cuda, err));
    bytes = round_up(cuda, bytes);
    cuda_result code = driver->mem_create(&handle, bytes, &properties, 0);
    if (code == CUDA_OK) {
        if (ret_fd) code = driver->mem_export(&fd, handle, CUDA_MEMORY_BY_DESCRIPTOR, 0);
        if (code == CUDA_OK) code = map(cuda, handle, bytes, &no_far_rows, ret);
        if (code && fd >= 0) close(fd);
        (void)driver->mem_release(handle);
    }
    if (code) return cuda_memory_fail(cuda, code, label, bytes, err);
    if (ret_fd) *ret_fd = fd;
    return 0;
}

int cuda_vmm_import(struct cuda_device *cuda, const struct buffer *buffer, int fd, cuda_address *ret,
                    struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    const size_t bytes = round_up(cuda, buffer->front_bytes + buffer->bytes + buffer->back_bytes);
    cuda_memory_handle handle = 0;
    TRY(cuda_enter(cuda, err));
    cuda_result code =
        driver->mem_import(&handle, (void *)(uintptr_t)(unsigned)fd, CUDA_MEMORY_BY_DESCRIPTOR);
    if (code == CUDA_OK) {
        code = map(cuda, handle, bytes, &buffer->far, ret);
        (void)driver->mem_release(handle);
    }
    return code ? cuda_call_fail(cuda, code, err,
                                 "cannot map tensor '%.64s' (%zu bytes) of another process on %s",
                                 buffer->label, bytes, cuda->device.info.device)
                : 0;
}

void cuda_vmm_free(struct cuda_device *cuda, cuda_address address, size_t bytes, const struct far_rows *far) {
    // Unlike freeing, unmapping does not wait for work that is still enqueued.
    (void)cuda->driver->ctx_synchronize();
    unmap(cuda, address, round_up(cuda, bytes), far, window_count(far));
}

static int attribute(const struct cuda_device *cuda, int which) {
    int value = 0;
    return cuda->driver->device_get_attribute(&value, which, cuda->ordinal) == CUDA_OK ? value : 0;
}

size_t cuda_vmm_step_bytes(const struct cuda_device *cuda) {
    const struct cuda_memory_properties properties = properties_of(cuda);
    size_t step = 0;
    if (!attribute(cuda, CUDA_ATTRIBUTE_VIRTUAL_MEMORY) ||
        !attribute(cuda, CUDA_ATTRIBUTE_DESCRIPTOR_HANDLES) ||
        cuda->driver->mem_get_granularity(&step, &properties, CUDA_GRANULARITY_LEAST) != CUDA_OK)
        return 0;
    return step;
}

int cuda_can_share(struct cuda_device *cuda, struct err *err) {
    const char *device = cuda->device.info.device;
    const int mode = attribute(cuda, CUDA_ATTRIBUTE_COMPUTE_MODE);
    if (mode == CUDA_COMPUTE_MODE_EXCLUSIVE || mode == CUDA_COMPUTE_MODE_PROHIBITED)
        return err_set(err, ERR_UNAVAILABLE,
                       "%s is in compute mode '%s', which gives it to one process, and --isolation process "
                       "needs three; use --isolation none, or let an administrator set the mode 'Default' "
                       "(nvidia-smi -c 0); assay does not change it",
                       device, mode == CUDA_COMPUTE_MODE_EXCLUSIVE ? "Exclusive_Process" : "Prohibited");
    if (cuda->vmm_step_bytes) return 0;
    return err_set(err, ERR_UNAVAILABLE,
                   "%s or its driver cannot share memory between processes by descriptor, which --isolation "
                   "process needs; use --isolation none",
                   device);
}
