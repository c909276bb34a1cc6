// SPDX-License-Identifier: Apache-2.0
//
// Guarded host memory by mmap and mprotect, and the list of live buffers that the fault handler searches.
#include "worker/backend/host_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIVE_BUFFERS_MAX  2048
#define KNOWN_PERIOD      256   // of known_byte
#define GUARD_BYTES_LEAST 65536 // a stride too far still lands in it

// What the handler needs to know of a buffer, copied because the caller may move its struct buffer. A slot is
// in use if map_bytes is not 0; it is stored last and cleared first.
struct live_buffer {
    const char *label;
    uintptr_t map, data, bytes;
    struct far_rows far;
    bool is_read_only;
    _Atomic uintptr_t map_bytes;
};
static struct live_buffer live[LIVE_BUFFERS_MAX];

static unsigned char known_byte(size_t index) {
    return (unsigned char)(0xa5u ^ (index * 29u));
}

// Known bytes repeat: once the first period is right, the rest must equal the bytes one period before. Guards
// are checked after every launch of a check, and are nearly always unchanged.
static bool are_known(const unsigned char *bytes, size_t count) {
    const size_t first = count < KNOWN_PERIOD ? count : KNOWN_PERIOD;
    for (size_t i = 0; i < first; ++i)
        if (bytes[i] != known_byte(i)) return false;
    return count == first || memcmp(bytes + first, bytes, count - first) == 0;
}

static void register_buffer(const struct buffer *buffer) {
    for (size_t i = 0; i < LIVE_BUFFERS_MAX; ++i) {
        struct live_buffer *slot = &live[i];
        if (atomic_load(&slot->map_bytes)) continue;
        slot->label = buffer->label;
        slot->map = (uintptr_t)buffer->map;
        slot->data = (uintptr_t)buffer->data;
        slot->bytes = buffer->bytes;
        slot->far = buffer->far;
        slot->is_read_only = buffer->is_read_only;
        atomic_store(&slot->map_bytes, buffer->map_bytes);
        return;
    }
    // No slot left: a fault in this one ends the worker as any other crash does.
}

static size_t page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t bytes) {
    const size_t page = page_bytes();
    return (bytes + page - 1) / page * page;
}

static size_t guard_bytes(void) {
    return GUARD_BYTES_LEAST > page_bytes() ? GUARD_BYTES_LEAST : page_bytes();
}

// A memory file of that size, which no process can resize.
static int open_memory(const char *label, size_t bytes, int *ret_fd, struct err *err) {
    const int fd = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0) {
        *ret_fd = fd;
        return 0;
    }
    const int code =
        err_set_errno(err, ERR_UNAVAILABLE, "no shared memory for tensor '%s' of %zu bytes", label, bytes);
    if (fd >= 0) close(fd);
    return code;
}

// Addresses without memory. NULL with errno.
static unsigned char *reserve(size_t bytes) {
    void *map = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

static int access_of(bool is_read_only) {
    return is_read_only ? PROT_READ : PROT_READ | PROT_WRITE;
}

// Maps whole pages of a memory file to reserved addresses. Most are used soon, and faults one by one cost
// more; of what is large nobody may use a byte (inputs that a reference fills on its device).
static bool map_file(unsigned char *at, size_t bytes, int access, int fd, size_t offset) {
    const int populate = bytes <= HOST_BUFFER_POPULATED_MAX ? MAP_POPULATE : 0;
    return mmap(at, bytes, access, MAP_SHARED | MAP_FIXED | populate, fd, (off_t)offset) != MAP_FAILED;
}

// Maps `inner` bytes between two guards: of the memory file, or private ones when fd is negative. NULL with
// errno.
static unsigned char *map_guarded(size_t inner, int fd, bool is_read_only) {
    const size_t guard = guard_bytes();
    const int access = access_of(is_read_only);
    unsigned char *map = reserve(inner + 2 * guard);
    if (!map) return NULL;
    if (fd < 0 ? mprotect(map + guard, inner, access) == 0 : map_file(map + guard, inner, access, fd, 0))
        return map;
    munmap(map, inner + 2 * guard);
    return NULL;
}

// Writes the known bytes around the data.
static void lay_guards(const struct buffer *buffer) {
    unsigned char *data = buffer->data, *front = data - buffer->front_bytes, *back = data + buffer->bytes;
    for (size_t i = 0; i < buffer->front_bytes; ++i) front[i] = known_byte(i);
    for (size_t i = 0; i < buffer->back_bytes; ++i) back[i] = known_byte(i);
}

int host_buffer_alloc(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                      struct err *err) {
    (void)device;
    const size_t guard = guard_bytes();
    size_t room = spec->bytes + spec->shift_bytes + 2 * spec->alignment; // space for aligning downwards
    if (!spec->bytes || room < spec->bytes || room > SIZE_MAX / 2)
        return err_set(err, ERR_DATA, "tensor '%s' of %zu bytes cannot be allocated", spec->label,
                       spec->bytes);
    const size_t inner = whole_pages(room);
    int fd = -1;
    if (spec->sharing != BUFFER_PRIVATE) TRY(open_memory(spec->label, inner, &fd, err));
    unsigned char *map = map_guarded(inner, fd, false);
    // From here on nobody but this mapping can write an input: no other process, whatever it maps or
    // protects.
    const bool is_sealed = spec->sharing != BUFFER_SHARED_IN || !map ||
                           fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
    if (!map || !is_sealed) {
        const int code = err_set_errno(err, ERR_UNAVAILABLE, "no memory for tensor '%s' of %zu bytes",
                                       spec->label, spec->bytes);
        if (map) munmap(map, inner + 2 * guard);
        if (fd >= 0) close(fd);
        return code;
    }
    uintptr_t end = (uintptr_t)map + guard + inner;
    uintptr_t data = (end - spec->shift_bytes - spec->bytes) & ~(uintptr_t)(spec->alignment - 1);
    if (spec->is_barely_aligned && !(data & spec->alignment)) data -= spec->alignment;
    struct buffer buffer = {.label = spec->label,
                            .bytes = spec->bytes,
                            .map = map,
                            .map_bytes = inner + 2 * guard,
                            .is_shared = fd >= 0,
                            .fd = fd,
                            .is_read_only = spec->sharing == BUFFER_SHARED_IN};
    buffer.data = buffer.host = (void *)data;
    buffer.front_bytes = data - ((uintptr_t)map + guard);
    buffer.back_bytes = end - data - spec->bytes;
    lay_guards(&buffer);
    register_buffer(&buffer);
    *ret = buffer;
    return 0;
}

// Maps the pages of each row from the memory file, between two guards. NULL with errno.
static unsigned char *map_far(const struct buffer_window *window, int fd, size_t *ret_map_bytes) {
    const struct far_rows *far = &window->far;
    const size_t page = page_bytes(), guard = guard_bytes();
    const size_t end = window->front_bytes + window->bytes; // in the file
    const int access = access_of(window->is_read_only);
    *ret_map_bytes = 2 * guard + far_rows_span(far, whole_pages(end));
    unsigned char *map = reserve(*ret_map_bytes);
    if (!map) return NULL;
    for (uint64_t r = 0; r < far->count; ++r) {
        const size_t first = window->front_bytes + r * far->row_bytes, begin = first / page * page;
        const size_t last = r + 1 < far->count ? first + far->row_bytes : end;
        if (map_file(map + guard + r * far->step_bytes + begin, whole_pages(last) - begin, access, fd, begin))
            continue;
        const int reason = errno;
        munmap(map, *ret_map_bytes);
        errno = reason;
        return NULL;
    }
    return map;
}

int host_buffer_import(struct device *device, const char *label, const struct buffer_window *window, int fd,
                       struct buffer *ret, struct err *err) {
    (void)device;
    const size_t inner = (size_t)(window->front_bytes + window->bytes + window->back_bytes);
    size_t map_bytes = inner + 2 * guard_bytes();
    unsigned char *map =
        window->far.count ? map_far(window, fd, &map_bytes) : map_guarded(inner, fd, window->is_read_only);
    const int reason = errno;
    close(fd); // the mapping holds the memory
    if (!map) {
        errno = reason;
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot map tensor '%s' of %zu bytes", label, inner);
    }
    *ret = (struct buffer){.label = label,
                           .bytes = (size_t)far_rows_span(&window->far, window->bytes),
                           .map = map,
                           .map_bytes = map_bytes,
                           .front_bytes = (size_t)window->front_bytes,
                           .back_bytes = (size_t)window->back_bytes,
                           .fd = -1,
                           .is_read_only = window->is_read_only,
                           .far = window->far};
    ret->data = ret->host = map + guard_bytes() + window->front_bytes;
    register_buffer(ret);
    return 0;
}

void host_buffer_free(struct device *device, struct buffer *buffer) {
    (void)device;
    if (!buffer->map) return;
    for (size_t i = 0; i < LIVE_BUFFERS_MAX; ++i)
        if (atomic_load(&live[i].map_bytes) && live[i].map == (uintptr_t)buffer->map)
            atomic_store(&live[i].map_bytes, 0);
    munmap(buffer->map, buffer->map_bytes);
    if (buffer->is_shared) close(buffer->fd);
    memset(buffer, 0, sizeof *buffer);
}

int host_buffer_move(struct device *device, struct buffer *buffer, struct err *err) {
    (void)device, (void)buffer, (void)err;
    return 0;
}

bool host_buffer_is_violated(struct device *device, const struct buffer *buffer, int64_t *ret_distance) {
    (void)device;
    const unsigned char *data = buffer->host;
    const unsigned char *front = data - buffer->front_bytes, *back = data + buffer->bytes;
    if (are_known(front, buffer->front_bytes) && are_known(back, buffer->back_bytes)) return false;
    for (size_t i = 0; i < buffer->back_bytes; ++i)
        if (back[i] != known_byte(i)) {
            *ret_distance = (int64_t)i;
            return true;
        }
    for (size_t i = buffer->front_bytes; i-- > 0;)
        if (front[i] != known_byte(i)) {
            *ret_distance = (int64_t)i - (int64_t)buffer->front_bytes;
            return true;
        }
    return false;
}

static enum buffer_place place_of(const struct live_buffer *buffer, uintptr_t at) {
    const struct far_rows *far = &buffer->far;
    if (at < buffer->data) return BUFFER_BEFORE;
    if (at - buffer->data >= buffer->bytes) return BUFFER_PAST_END;
    const bool is_row =
        !far->count || (at - buffer->data) % (far->step_bytes + far->row_bytes) < far->row_bytes;
    return is_row ? BUFFER_INSIDE : BUFFER_BETWEEN_ROWS;
}

bool host_buffer_find_fault(const void *address, struct buffer_fault *ret) {
    uintptr_t at = (uintptr_t)address;
    for (size_t i = 0; i < LIVE_BUFFERS_MAX; ++i) {
        uintptr_t map_bytes = atomic_load(&live[i].map_bytes);
        if (!map_bytes || at < live[i].map || at - live[i].map >= map_bytes) continue;
        const uintptr_t data = live[i].data;
        ret->place = place_of(&live[i], at);
        if (ret->place == BUFFER_INSIDE && !live[i].is_read_only) continue; // no reason to fault here
        ret->label = live[i].label;
        ret->distance_bytes = ret->place == BUFFER_PAST_END ? at - data - live[i].bytes
                              : ret->place == BUFFER_BEFORE ? data - at
                                                            : at - data;
        return true;
    }
    return false;
}
