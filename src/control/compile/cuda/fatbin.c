// SPDX-License-Identifier: Apache-2.0
//
// The containers of device code. The layout is the one that nvcc 11 to 13 write: a header, then entries, each
// with a header that gives its own size. Containers of several sources follow each other, zero-padded.
#include "control/compile/cuda/fatbin.h"

#include <string.h>

#define MAGIC                0xBA55ED50u
#define CONTAINER_HEADER     16 // least bytes
#define ENTRY_HEADER         64
#define FLAG_LZ4             UINT64_C(0x2000)
#define FLAG_ZSTD            UINT64_C(0x8000)
#define FLAG_SPECIFIC        UINT64_C(0x100000)
#define AT_ENTRY_HEADER_SIZE 4 // offsets in an entry's header
#define AT_ENTRY_SIZE        8
#define AT_ENTRY_PACKED_SIZE 16
#define AT_ENTRY_ARCH        28
#define AT_ENTRY_FLAGS       40

static uint64_t get(const unsigned char *bytes, size_t byte_count) {
    uint64_t value = 0;
    for (size_t i = byte_count; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

struct fatbin_reader fatbin_open(const void *bytes, size_t length) {
    return (struct fatbin_reader){.bytes = bytes, .length = length};
}

// Steps into the next container.
static enum fatbin_step container_enter(struct fatbin_reader *reader) {
    while (reader->at < reader->length && reader->bytes[reader->at] == 0) ++reader->at;
    if (reader->at == reader->length) return FATBIN_END;
    const unsigned char *head = reader->bytes + reader->at;
    const size_t left = reader->length - reader->at;
    if (left < CONTAINER_HEADER || get(head, 4) != MAGIC) return FATBIN_BROKEN;
    const size_t header_bytes = (size_t)get(head + 6, 2);
    const uint64_t content_bytes = get(head + 8, 8);
    if (header_bytes < CONTAINER_HEADER || header_bytes > left || content_bytes > left - header_bytes)
        return FATBIN_BROKEN;
    reader->at += header_bytes;
    reader->container_end = reader->at + (size_t)content_bytes;
    return FATBIN_ENTRY;
}

enum fatbin_step fatbin_next(struct fatbin_reader *reader, struct fatbin_entry *ret) {
    while (reader->at == reader->container_end || reader->container_end == 0) {
        const enum fatbin_step step = container_enter(reader); // an empty container ends where it begins
        if (step != FATBIN_ENTRY) return step;
    }
    const unsigned char *head = reader->bytes + reader->at;
    const size_t left = reader->container_end - reader->at;
    if (left < ENTRY_HEADER) return FATBIN_BROKEN;
    const uint64_t header_bytes = get(head + AT_ENTRY_HEADER_SIZE, 4), bytes = get(head + AT_ENTRY_SIZE, 8);
    if (header_bytes < ENTRY_HEADER || header_bytes > left || bytes > left - header_bytes)
        return FATBIN_BROKEN;
    const uint64_t flags = get(head + AT_ENTRY_FLAGS, 8);
    const uint16_t kind = (uint16_t)get(head, 2);
    *ret = (struct fatbin_entry){
        .kind = kind == 1   ? FATBIN_PTX
                : kind == 2 ? FATBIN_CUBIN
                            : FATBIN_OTHER,
        .raw_kind = kind,
        .arch = (uint32_t)get(head + AT_ENTRY_ARCH, 4),
        .is_specific = (flags & FLAG_SPECIFIC) != 0,
        .is_compressed = (flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0 || get(head + AT_ENTRY_PACKED_SIZE, 4) != 0,
        .bytes = head + header_bytes,
        .length = (size_t)bytes,
    };
    reader->at += (size_t)(header_bytes + bytes);
    return FATBIN_ENTRY;
}
