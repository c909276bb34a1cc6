// SPDX-License-Identifier: Apache-2.0
//
// An arena: many small objects of one lifetime, freed at once. A manifest, a plan and a result each own
// one. Not for anything sized by untrusted input beyond what the reader of that input has already limited.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena {
    struct arena_chunk *chunk; // newest first
};

// {0} is an empty arena. All memory is zeroed, aligned to 16 bytes, and valid until arena_fini.
void *arena_alloc(struct arena *arena, size_t bytes);
void *arena_array(struct arena *arena, size_t count, size_t item_bytes); // aborts on overflow
char *arena_strdup(struct arena *arena, const char *text);               // NULL stays NULL
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_fini(struct arena *arena); // accepts an empty one

#endif
