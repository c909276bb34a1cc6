// SPDX-License-Identifier: Apache-2.0
//
// Style: prepare writes a function into memory and makes it executable; launches ask it for the number
// of rows.
#include <sys/mman.h>

#include "honest.h"

#define BYTES ((size_t)4096)

struct code {
    void *memory;
    int (*rows)(void);
};

static int plain_rows;

static int get_plain_rows(void) {
    return plain_rows;
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct code *c = (struct code *)calloc(1, sizeof *c);
    if (!c) return honest_failed(h, "out of memory");
    h->own = c;
    plain_rows = (int)honest_rows(h);
    c->rows = get_plain_rows; // on other processors
    c->memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->memory == MAP_FAILED) return honest_failed(h, "out of memory");
#if defined(__x86_64__)
    unsigned char text[] = {0xb8, 0, 0, 0, 0, 0xc3}; // mov eax, rows; ret
    const uint32_t rows = (uint32_t)honest_rows(h);
    memcpy(text + 1, &rows, sizeof rows);
    memcpy(c->memory, text, sizeof text);
    if (mprotect(c->memory, BYTES, PROT_READ | PROT_EXEC)) return honest_failed(h, "no executable memory");
    *(void **)&c->rows = c->memory;
#endif
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    const int rows = ((const struct code *)h->own)->rows();
    for (int i = 0; i < rows; ++i) honest_row(h, i);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    munmap(((const struct code *)h->own)->memory, BYTES);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
