// SPDX-License-Identifier: Apache-2.0
//
// Guarded host memory by mmap and mprotect, and the list of live buffers that the fault handler searches.
#include "worker/backend/host_buffer.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIVE_BUFFERS_MAX  256
#define KNOWN_PERIOD      256   // of known_byte
#define GUARD_BYTES_LEAST 65536 // a stride too far still lands in it

// What the handler needs to know of a buffer, copied because the caller may move its struct buffer. A slot is
// in use if map_bytes is not 0; it is stored last and cleared first.
struct live_buffer {
    const char *label;
    uintptr_t map, data, bytes;
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
        atomic_store(&slot->map_bytes, buffer->map_bytes);
        return;
    }
    // No slot left: a fault in this one ends the worker as any other crash does.
}

int host_buffer_alloc(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                      struct err *err) {
    (void)device;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t guard = GUARD_BYTES_LEAST > page ? GUARD_BYTES_LEAST : page;
    size_t room = spec->bytes + spec->shift_bytes + 2 * spec->alignment; // space for aligning downwards
    if (!spec->bytes || room < spec->bytes || room > SIZE_MAX / 2)
        return err_set(err, ERR_DATA, "tensor '%s' of %zu bytes cannot be allocated", spec->label,
                       spec->bytes);
    size_t inner = (room + page - 1) / page * page;
    unsigned char *map = mmap(NULL, inner + 2 * guard, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return err_set_errno(err, ERR_UNAVAILABLE, "no memory for tensor '%s' of %zu bytes", spec->label,
                             spec->bytes);
    if (mprotect(map, guard, PROT_NONE) < 0 || mprotect(map + guard + inner, guard, PROT_NONE) < 0) {
        munmap(map, inner + 2 * guard);
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot guard tensor '%s'", spec->label);
    }
    uintptr_t end = (uintptr_t)map + guard + inner;
    uintptr_t data = (end - spec->shift_bytes - spec->bytes) & ~(uintptr_t)(spec->alignment - 1);
    if (spec->is_barely_aligned && !(data & spec->alignment)) data -= spec->alignment;
    struct buffer buffer = {
        .label = spec->label, .bytes = spec->bytes, .map = map, .map_bytes = inner + 2 * guard};
    buffer.data = buffer.host = (void *)data;
    buffer.front_bytes = data - ((uintptr_t)map + guard);
    buffer.back_bytes = end - data - spec->bytes;
    unsigned char *front = map + guard, *back = (unsigned char *)data + spec->bytes;
    for (size_t i = 0; i < buffer.front_bytes; ++i) front[i] = known_byte(i);
    for (size_t i = 0; i < buffer.back_bytes; ++i) back[i] = known_byte(i);
    register_buffer(&buffer);
    *ret = buffer;
    return 0;
}

void host_buffer_free(struct device *device, struct buffer *buffer) {
    (void)device;
    if (!buffer->map) return;
    for (size_t i = 0; i < LIVE_BUFFERS_MAX; ++i)
        if (atomic_load(&live[i].map_bytes) && live[i].map == (uintptr_t)buffer->map)
            atomic_store(&live[i].map_bytes, 0);
    munmap(buffer->map, buffer->map_bytes);
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

bool host_buffer_find_fault(const void *address, struct buffer_fault *ret) {
    uintptr_t at = (uintptr_t)address;
    for (size_t i = 0; i < LIVE_BUFFERS_MAX; ++i) {
        uintptr_t map_bytes = atomic_load(&live[i].map_bytes);
        if (!map_bytes || at < live[i].map || at - live[i].map >= map_bytes) continue;
        ret->label = live[i].label;
        ret->is_past_end = at >= live[i].data;
        ret->distance_bytes = ret->is_past_end ? at - (live[i].data + live[i].bytes) : live[i].data - at;
        return true;
    }
    return false;
}
