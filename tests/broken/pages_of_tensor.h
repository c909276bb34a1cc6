// SPDX-License-Identifier: Apache-2.0
//
// The pages that a tensor lies in.
#ifndef PAGES_OF_TENSOR_H
#define PAGES_OF_TENSOR_H

#include "hostile.h"

struct pages {
    char *begin;
    size_t bytes;
};

static UNUSED struct pages pages_of_tensor(const struct assay_tensor *t) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), data = (uintptr_t)t->data;
    const uintptr_t begin = data & ~(page - 1);
    const uintptr_t end = data + (uintptr_t)(t->shape[0] * t->stride[0]) * sizeof(float);
    return (struct pages){(char *)begin, (end - begin + page - 1) & ~(page - 1)};
}

// Puts private memory with the same contents in the place of those pages. 0: refused.
static UNUSED int pages_replace(const struct pages *pages) {
    char *copy = malloc(pages->bytes);
    if (!copy) return 0;
    memcpy(copy, pages->begin, pages->bytes);
    void *map = mmap(pages->begin, pages->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (map != MAP_FAILED) memcpy(pages->begin, copy, pages->bytes);
    free(copy);
    return map != MAP_FAILED;
}

#endif
