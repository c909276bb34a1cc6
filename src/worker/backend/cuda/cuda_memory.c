// SPDX-License-Identifier: Apache-2.0
//
// Memory on the device. A tensor is one allocation: [known bytes | data | known bytes], and what is left of
// its last 2 MiB (cuda_vmm.c). Pages of a GPU cannot be protected from a kernel, so one that writes too far
// is found when the known bytes are checked. The host's copy is mapped and not touched: it costs memory only
// if the host accesses the data.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "device/device_kernel_args.h"
#include "device/device_kernel_core.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define BOUNCE_BYTES  (2 * CUDA_GUARD_BYTES) // a guard that has changed is read back through it
#define GUARD_THREADS 1024
#define BYTES_MAX     ((size_t)1 << 42)

enum guard { GUARD_BACK = 0, GUARD_FRONT, GUARD_COUNT };

// Pinned: the device reads and writes it, and copies are fast.
struct staging {
    unsigned char bounce[BOUNCE_BYTES];
    struct dev_region guards[GUARD_COUNT];
    uint64_t first_changed[GUARD_COUNT];
};

struct cuda_memory {
    struct staging *staging;
    cuda_address first_changed; // on the device, [GUARD_COUNT]
};

static int fail(struct cuda_device *cuda, cuda_result code, struct err *err, const char *what,
                const char *label, size_t bytes) {
    return cuda_call_fail(cuda, code, err, "%s %s (%zu bytes) on device %s", what, label, bytes,
                          cuda->device.info.device);
}

static int wait(struct cuda_device *cuda, const char *what, const char *label, size_t bytes,
                struct err *err) {
    cuda_result code = cuda->driver->stream_synchronize(cuda->stream);
    return code ? fail(cuda, code, err, what, label, bytes) : 0;
}

// ---- allocating ----

static int allocate(struct cuda_device *cuda, const char *label, size_t bytes, cuda_address *ret,
                    struct err *err) {
    TRY(cuda_enter(cuda, err));
    const cuda_result code = cuda->driver->mem_alloc(ret, bytes);
    return code ? cuda_memory_fail(cuda, code, label, bytes, err) : 0;
}

int cuda_memory_open(struct cuda_device *cuda, struct err *err) {
    void *staging = NULL;
    cuda->memory = mem_alloc(sizeof *cuda->memory);
    cuda_result code = cuda->driver->mem_host_alloc(&staging, sizeof(struct staging), 0);
    if (code) return fail(cuda, code, err, "cannot pin", "the host's staging memory", sizeof(struct staging));
    cuda->memory->staging = staging;
    TRY(allocate(cuda, "the harness' own work", sizeof(((struct staging *)0)->first_changed),
                 &cuda->memory->first_changed, err));
    return 0;
}

void cuda_memory_close(struct cuda_device *cuda) {
    struct cuda_memory *memory = cuda->memory;
    if (!memory) return;
    if (memory->first_changed) (void)cuda->driver->mem_free(memory->first_changed);
    if (memory->staging) (void)cuda->driver->mem_free_host(memory->staging);
    free(memory);
    cuda->memory = NULL;
}

// ---- guarded buffers ----

static uintptr_t base_of(const struct buffer *buffer) {
    return (uintptr_t)buffer->data - buffer->front_bytes;
}

static size_t bytes_of(const struct buffer *buffer) {
    return buffer->front_bytes + buffer->bytes + buffer->back_bytes;
}

static int fill_guards(struct cuda_device *cuda, const struct buffer *buffer, struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    const cuda_address data = (cuda_address)(uintptr_t)buffer->data;
    cuda_result code = driver->memset_d8(base_of(buffer), CUDA_GUARD_BYTE, buffer->front_bytes, cuda->stream);
    if (!code)
        code = driver->memset_d8(data + buffer->bytes, CUDA_GUARD_BYTE, buffer->back_bytes, cuda->stream);
    if (code) return fail(cuda, code, err, "cannot write the guards of", buffer->label, buffer->bytes);
    // Kernels may run on other streams than ours, so the guards must be in place.
    return wait(cuda, "cannot write the guards of", buffer->label, buffer->bytes, err);
}

int cuda_buffer_alloc(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                      struct err *err) {
    struct cuda_device *cuda = cuda_device_of(device);
    const size_t around = 2 * CUDA_GUARD_BYTES + spec->shift_bytes + 2 * spec->alignment;
    if (!spec->bytes || spec->bytes > BYTES_MAX)
        return err_set(err, ERR_DATA, "tensor '%s' of %zu bytes cannot be allocated", spec->label,
                       spec->bytes);
    char label[80];
    snprintf(label, sizeof label, "tensor '%.64s'", spec->label);
    cuda_address base = 0;
    int fd = -1;
    if (spec->sharing != BUFFER_PRIVATE) TRY(cuda_can_share(cuda, err));
    int *const ret_fd = spec->sharing == BUFFER_PRIVATE ? NULL : &fd;
    TRY(cuda->vmm_step_bytes ? cuda_vmm_alloc(cuda, label, spec->bytes + around, &base, ret_fd, err)
                             : allocate(cuda, label, spec->bytes + around, &base, err));
    uintptr_t data = (uintptr_t)base + CUDA_GUARD_BYTES + spec->shift_bytes + spec->alignment - 1;
    data &= ~(uintptr_t)(spec->alignment - 1);
    if (spec->is_barely_aligned && !(data & spec->alignment)) data += spec->alignment;
    struct buffer buffer = {
        .label = spec->label, .bytes = spec->bytes, .data = (void *)data, .is_shared = fd >= 0, .fd = fd};
    buffer.front_bytes = data - (uintptr_t)base;
    buffer.back_bytes = around - buffer.front_bytes;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    buffer.map_bytes = (spec->bytes + page - 1) / page * page;
    void *map = mmap(NULL, buffer.map_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int code;
    if (map == MAP_FAILED) {
        code = err_set_errno(err, ERR_UNAVAILABLE, "no memory for the host's copy of '%s' of %zu bytes",
                             buffer.label, buffer.bytes);
    } else {
        buffer.map = buffer.host = map;
        code = fill_guards(cuda, &buffer, err);
    }
    if (code < 0) {
        cuda_buffer_free(device, &buffer);
        return code;
    }
    *ret = buffer;
    return 0;
}

void cuda_buffer_free(struct device *device, struct buffer *buffer) {
    struct cuda_device *cuda = cuda_device_of(device);
    if (buffer->data) {
        (void)cuda_enter(cuda, NULL);
        cuda_graphs_forget(cuda);
        if (cuda->vmm_step_bytes)
            cuda_vmm_free(cuda, base_of(buffer), bytes_of(buffer), &buffer->far);
        else
            (void)cuda->driver->mem_free((cuda_address)base_of(buffer));
    }
    if (buffer->is_shared && buffer->fd >= 0) close(buffer->fd);
    if (buffer->map) munmap(buffer->map, buffer->map_bytes);
    memset(buffer, 0, sizeof *buffer);
}

// The host's copy stays with the process that owns the buffer, and so does looking after the guards.
int cuda_buffer_import(struct device *device, const char *label, const struct buffer_window *window, int fd,
                       struct buffer *ret, struct err *err) {
    struct buffer buffer = {.label = label,
                            .bytes = (size_t)window->bytes,
                            .far = window->far,
                            .front_bytes = (size_t)window->front_bytes,
                            .back_bytes = (size_t)window->back_bytes,
                            .is_shared = true,
                            .fd = -1};
    cuda_address base = 0;
    const int code = cuda_vmm_import(cuda_device_of(device), &buffer, fd, &base, err);
    close(fd);
    TRY(code);
    buffer.data = (void *)(uintptr_t)(base + buffer.front_bytes);
    *ret = buffer;
    return 0;
}

// ---- copies ----

static int copy_in(struct device *device, void *data, const void *host, size_t bytes, struct err *err) {
    struct cuda_device *cuda = cuda_device_of(device);
    TRY(cuda_enter(cuda, err));
    cuda_result code = cuda->driver->memcpy_htod((cuda_address)(uintptr_t)data, host, bytes, cuda->stream);
    if (code) return fail(cuda, code, err, "cannot copy", "host memory", bytes);
    return wait(cuda, "cannot copy", "host memory", bytes, err);
}

static int copy_out(struct device *device, void *host, const void *data, size_t bytes, struct err *err) {
    struct cuda_device *cuda = cuda_device_of(device);
    TRY(cuda_enter(cuda, err));
    cuda_result code = cuda->driver->memcpy_dtoh(host, (cuda_address)(uintptr_t)data, bytes, cuda->stream);
    if (code) return fail(cuda, code, err, "cannot read back", "device memory", bytes);
    return wait(cuda, "cannot read back", "device memory", bytes, err);
}

int cuda_buffer_upload(struct device *device, struct buffer *buffer, struct err *err) {
    return copy_in(device, buffer->data, buffer->host, buffer->bytes, err);
}

int cuda_buffer_download(struct device *device, struct buffer *buffer, struct err *err) {
    return copy_out(device, buffer->host, buffer->data, buffer->bytes, err);
}

// ---- guards ----

// Compares both guards on the device, because nearly always they are unchanged and need no copy. False: one
// of them has changed, or the device does not answer.
static bool are_guards_unchanged(struct cuda_device *cuda, const struct buffer *buffer) {
    const struct cuda_driver *driver = cuda->driver;
    const cuda_address found = cuda->memory->first_changed;
    struct staging *staging = cuda->memory->staging;
    const uintptr_t data = (uintptr_t)buffer->data;
    staging->guards[GUARD_BACK] =
        (struct dev_region){.data = (const void *)(data + buffer->bytes), .bytes = buffer->back_bytes};
    staging->guards[GUARD_FRONT] =
        (struct dev_region){.data = (const void *)base_of(buffer), .bytes = buffer->front_bytes};
    const struct dev_find_unlike args = {.regions = staging->guards,
                                         .first = (uint64_t *)(uintptr_t)found,
                                         .region_count = GUARD_COUNT,
                                         .byte = CUDA_GUARD_BYTE};
    const struct kernel_launch program =
        kernel_launch_make("assay_find_unlike", GUARD_COUNT, GUARD_THREADS, &args, sizeof args);
    if (cuda_enter(cuda, NULL) < 0) return false;
    if (driver->memset_d8(found, 0xff, sizeof staging->first_changed, cuda->stream)) return false;
    if (cuda_program_run(cuda, &program, NULL) < 0) return false;
    if (copy_out(&cuda->device, staging->first_changed, (const void *)(uintptr_t)found,
                 sizeof staging->first_changed, NULL) < 0)
        return false;
    return staging->first_changed[GUARD_BACK] == DEV_NONE && staging->first_changed[GUARD_FRONT] == DEV_NONE;
}

// Reads the guard of `bytes` at `address` piece by piece, the piece next to the data first. *ret_at: the
// changed byte nearest to the data, counted from `address`.
static bool is_guard_changed(struct cuda_device *cuda, uintptr_t address, size_t bytes, bool is_front,
                             size_t *ret_at) {
    unsigned char *bounce = cuda->memory->staging->bounce;
    for (size_t done = 0; done < bytes;) {
        const size_t part = bytes - done < BOUNCE_BYTES ? bytes - done : BOUNCE_BYTES;
        const size_t offset = is_front ? bytes - done - part : done;
        // If the device is lost, the guard tells nothing: the next call that needs the device reports it.
        if (copy_out(&cuda->device, bounce, (const void *)(address + offset), part, NULL) < 0) return false;
        done += part;
        if (bounce[0] == CUDA_GUARD_BYTE && memcmp(bounce, bounce + 1, part - 1) == 0) continue;
        size_t at = is_front ? part - 1 : 0;
        while (bounce[at] == CUDA_GUARD_BYTE) at = is_front ? at - 1 : at + 1;
        *ret_at = offset + at;
        return true;
    }
    return false;
}

bool cuda_buffer_is_violated(struct device *device, const struct buffer *buffer, int64_t *ret_distance) {
    struct cuda_device *cuda = cuda_device_of(device);
    const uintptr_t data = (uintptr_t)buffer->data;
    size_t at;
    if (!buffer->data || are_guards_unchanged(cuda, buffer)) return false;
    if (is_guard_changed(cuda, data + buffer->bytes, buffer->back_bytes, false, &at)) {
        *ret_distance = (int64_t)at;
        return true;
    }
    if (!is_guard_changed(cuda, base_of(buffer), buffer->front_bytes, true, &at)) return false;
    *ret_distance = (int64_t)at - (int64_t)buffer->front_bytes;
    return true;
}

// ---- work on the device ----

static int scratch_alloc(struct device *device, size_t bytes, void **ret_data, struct err *err) {
    cuda_address address = 0;
    TRY(allocate(cuda_device_of(device), "the harness' own work", bytes ? bytes : 1, &address, err));
    *ret_data = (void *)(uintptr_t)address;
    return 0;
}

static void scratch_free(struct device *device, void *data) {
    struct cuda_device *cuda = cuda_device_of(device);
    if (!data) return;
    (void)cuda_enter(cuda, NULL);
    (void)cuda->driver->mem_free((cuda_address)(uintptr_t)data);
}

static int run_program(struct device *device, const struct kernel_launch *program, struct err *err) {
    return cuda_program_run(cuda_device_of(device), program, err);
}

static int copy(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
    struct cuda_device *cuda = cuda_device_of(device);
    TRY(cuda_enter(cuda, err));
    cuda_result code = cuda->driver->memcpy_dtod((cuda_address)(uintptr_t)to, (cuda_address)(uintptr_t)from,
                                                 bytes, cuda->stream);
    return code ? fail(cuda, code, err, "cannot copy", "device memory", bytes) : 0;
}

static int delay(struct device *device, uint64_t duration_ns, struct err *err) {
    struct cuda_device *cuda = cuda_device_of(device);
    TRY(cuda_enter(cuda, err));
    return cuda_spin(cuda, duration_ns, err);
}

const struct device_work cuda_work = {
    .scratch_alloc = scratch_alloc,
    .scratch_free = scratch_free,
    .run_program = run_program,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .delay = delay,
};
