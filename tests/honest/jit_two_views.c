// SPDX-License-Identifier: Apache-2.0
//
// Style: its compiled code is a memory file with two views, one that can be written and one that can be
// executed; the writable view stays, and code is written again in the first launch.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "honest.h"

#define BYTES ((size_t)4096)

struct code {
    unsigned char *write;
    void *execute;
};

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct code *c = (struct code *)calloc(1, sizeof *c);
    const int fd = memfd_create("honest-code", MFD_CLOEXEC);
    if (!c || fd < 0 || ftruncate(fd, BYTES)) return honest_failed(h, "no memory file");
    h->own = c;
    c->write = (unsigned char *)mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    c->execute = mmap(NULL, BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    close(fd);
    if ((void *)c->write == MAP_FAILED || c->execute == MAP_FAILED)
        return honest_failed(h, "no executable view of a memory file");
    return ASSAY_OK;
}

static int64_t rows_by_code(struct honest *h) {
#if defined(__x86_64__)
    const struct code *c = (const struct code *)h->own;
    if (h->launches == 1) {
        const unsigned char text[] = {0x48, 0x89, 0xf8, 0xc3}; // mov rax, rdi; ret
        memcpy(c->write, text, sizeof text);
    }
    int64_t (*same)(int64_t);
    *(void **)&same = c->execute;
    return same(honest_rows(h));
#else
    return honest_rows(h);
#endif
}

static int launch(struct honest *h) {
    const int64_t rows = rows_by_code(h);
    for (int64_t i = 0; i < rows; ++i) honest_row(h, i);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    const struct code *c = (const struct code *)h->own;
    munmap(c->write, BYTES);
    munmap(c->execute, BYTES);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
