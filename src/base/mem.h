// SPDX-License-Identifier: Apache-2.0
//
// Small host allocations: they end the process with a message when memory is gone. Anything whose size comes
// from a file, a request or a shape uses mem_try_* and returns an error instead.
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t bytes);              // zeroed; never NULL; free() it
void *mem_realloc(void *old, size_t bytes); // never NULL
char *mem_strdup(const char *text);         // NULL stays NULL
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *mem_try_array(size_t count, size_t item_bytes);   // zeroed; NULL on overflow or when memory is gone
void *mem_try_scratch(size_t count, size_t item_bytes); // the same, but not zeroed
// From now on up to so many bytes that are freed stay with this process, so that using them again is no page
// fault. Where the C library cannot, nothing changes.
void mem_keep_freed(int bytes);
uint64_t mem_machine_bytes(void); // the memory of this machine; 0: not known

// Grows an array to hold at least count items (doubling). items is the array variable, capacity a size_t
// variable.
#define MEM_GROW(items, capacity, count)                                                                     \
    do {                                                                                                     \
        if ((capacity) < (count)) {                                                                          \
            size_t grow_to_ = (capacity) ? (capacity)*2 : 8;                                                 \
            if (grow_to_ < (count)) grow_to_ = (count);                                                      \
            (items) = mem_realloc((items), grow_to_ * sizeof *(items));                                      \
            (capacity) = grow_to_;                                                                           \
        }                                                                                                    \
    } while (0)

#endif
