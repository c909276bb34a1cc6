// SPDX-License-Identifier: Apache-2.0
//
// Style: a scratch file below TMPDIR, open from prepare to release; launches write and read it.
#include <stdio.h>
#include <unistd.h>

#include "honest.h"

struct scratch {
    int fd;
    char path[4096];
};

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    const char *folder = getenv("TMPDIR");
    struct scratch *s = (struct scratch *)calloc(1, sizeof *s);
    if (!s) return honest_failed(h, "out of memory");
    h->own = s;
    snprintf(s->path, sizeof s->path, "%s/honest_XXXXXX", folder && *folder ? folder : "/tmp");
    s->fd = mkstemp(s->path);
    if (s->fd < 0) return honest_failed(h, "no scratch file below TMPDIR");
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    const struct scratch *s = (const struct scratch *)h->own;
    const size_t bytes = (size_t)h->head_dim * sizeof(float);
    float row[HONEST_DIM_MAX];
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        honest_row_to(h, i, row);
        if (pwrite(s->fd, row, bytes, (off_t)((size_t)i * bytes)) != (ssize_t)bytes)
            return honest_failed(h, "cannot write the scratch file");
    }
    for (int64_t i = 0; i < honest_rows(h); ++i)
        if (pread(s->fd, honest_place_of(h, i).o, bytes, (off_t)((size_t)i * bytes)) != (ssize_t)bytes)
            return honest_failed(h, "cannot read the scratch file");
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    const struct scratch *s = (const struct scratch *)h->own;
    close(s->fd);
    unlink(s->path);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
