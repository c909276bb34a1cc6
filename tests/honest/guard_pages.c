// SPDX-License-Identifier: Apache-2.0
//
// Style: a buffer between pages that cannot be touched, which it makes and unmakes by mprotect.
#include <sys/mman.h>
#include <unistd.h>

#include "honest.h"

struct guarded {
    char *pages; // three of them
    size_t page;
};

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct guarded *g = (struct guarded *)calloc(1, sizeof *g);
    if (!g) return honest_failed(h, "out of memory");
    h->own = g;
    g->page = (size_t)sysconf(_SC_PAGESIZE);
    g->pages = (char *)mmap(NULL, 3 * g->page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return g->pages == MAP_FAILED ? honest_failed(h, "out of memory") : ASSAY_OK;
}

static int launch(struct honest *h) {
    const struct guarded *g = (const struct guarded *)h->own;
    const size_t bytes = (size_t)h->head_dim * sizeof(float);
    if (mprotect(g->pages + g->page, g->page, PROT_READ | PROT_WRITE))
        return honest_failed(h, "mprotect failed");
    float *row = (float *)(void *)(g->pages + 2 * g->page - bytes); // up to the guard
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        honest_row_to(h, i, row);
        memcpy(honest_place_of(h, i).o, row, bytes);
    }
    if (mprotect(g->pages + g->page, g->page, PROT_NONE)) return honest_failed(h, "mprotect failed");
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    const struct guarded *g = (const struct guarded *)h->own;
    munmap(g->pages, 3 * g->page);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
