// SPDX-License-Identifier: Apache-2.0
//
// Small host allocations. When one fails, the process ends with a message and exit code 70: nothing
// sensible can be done without a few kilobytes. Sizes from outside go through mem_try_array, whose failure
// the caller reports.
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/err.h"

// From this size on an allocation is a mapping of its own; glibc takes no greater one.
#define MMAP_BYTES (32 << 20)

static _Noreturn void mem_exhausted(size_t bytes) {
    fprintf(stderr, "assay: out of memory (asked for %zu bytes)\n", bytes);
    _Exit(err_exit_code(ERR_INTERNAL));
}

void *mem_alloc(size_t bytes) {
    void *result = calloc(1, bytes ? bytes : 1);
    if (!result) mem_exhausted(bytes);
    return result;
}

void *mem_realloc(void *old, size_t bytes) {
    void *result = realloc(old, bytes ? bytes : 1);
    if (!result) mem_exhausted(bytes);
    return result;
}

char *mem_strdup(const char *text) {
    if (!text) return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = mem_alloc(bytes);
    memcpy(copy, text, bytes);
    return copy;
}

char *mem_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) BUG("format '%s' cannot be printed", format);
    char *text = mem_alloc((size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void mem_keep_freed(int bytes) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, bytes);
    mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
#else
    (void)bytes;
#endif
}

// At least 1; 0: no memory is that large.
static size_t array_bytes(size_t count, size_t item_bytes) {
    size_t bytes;
    if (__builtin_mul_overflow(count, item_bytes, &bytes) || bytes > PTRDIFF_MAX) return 0;
    return bytes ? bytes : 1;
}

void *mem_try_array(size_t count, size_t item_bytes) {
    const size_t bytes = array_bytes(count, item_bytes);
    return bytes ? calloc(1, bytes) : NULL;
}

void *mem_try_scratch(size_t count, size_t item_bytes) {
    const size_t bytes = array_bytes(count, item_bytes);
    return bytes ? malloc(bytes) : NULL;
}

uint64_t mem_machine_bytes(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}
