// SPDX-License-Identifier: Apache-2.0
//
// Many small objects of one lifetime: a list of chunks, each filled from its start; a request that is larger
// than a chunk gets a chunk of its own. Memory that runs out ends the process (base/mem.h).
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum { ARENA_CHUNK_BYTES = 16384, ARENA_ALIGN = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used_bytes;
    size_t capacity_bytes;
    alignas(ARENA_ALIGN) unsigned char bytes[];
};

static struct arena_chunk *chunk_new(size_t capacity_bytes) {
    struct arena_chunk *chunk = mem_alloc(sizeof *chunk + capacity_bytes);
    chunk->capacity_bytes = capacity_bytes;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 2) BUG("arena_alloc of %zu bytes", bytes);
    size_t rounded = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    struct arena_chunk *chunk = arena->chunk;
    if (!chunk || chunk->capacity_bytes - chunk->used_bytes < rounded) {
        struct arena_chunk *fresh = chunk_new(rounded > ARENA_CHUNK_BYTES / 4 ? rounded : ARENA_CHUNK_BYTES);
        if (chunk && rounded > ARENA_CHUNK_BYTES / 4) {
            // The large one goes second, so that the room left in the newest chunk is not lost.
            fresh->next = chunk->next;
            chunk->next = fresh;
        } else {
            fresh->next = chunk;
            arena->chunk = fresh;
        }
        chunk = fresh;
    }
    void *result = chunk->bytes + chunk->used_bytes;
    chunk->used_bytes += rounded;
    return result;
}

void *arena_array(struct arena *arena, size_t count, size_t item_bytes) {
    size_t bytes;
    if (__builtin_mul_overflow(count, item_bytes, &bytes))
        BUG("arena_array of %zu x %zu bytes", count, item_bytes);
    return arena_alloc(arena, bytes);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text) {
    return text ? arena_strndup(arena, text, strlen(text)) : NULL;
}

char *arena_format(struct arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) BUG("format '%s' cannot be printed", format);
    char *text = arena_alloc(arena, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void arena_fini(struct arena *arena) {
    struct arena_chunk *chunk = arena->chunk;
    while (chunk) {
        struct arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    arena->chunk = NULL;
}
