// SPDX-License-Identifier: Apache-2.0
//
// Style: loads a helper library in prepare, takes its function by name, and closes it in release.
#include <dlfcn.h>

#include "honest.h"

struct library {
    void *handle;
    double (*exponential)(double);
};

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct library *l = (struct library *)calloc(1, sizeof *l);
    if (!l) return honest_failed(h, "out of memory");
    h->own = l;
    l->handle = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!l->handle) return honest_failed(h, "no libm.so.6");
    *(void **)&l->exponential = dlsym(l->handle, "exp");
    return l->exponential ? ASSAY_OK : honest_failed(h, "libm has no exp");
}

static int launch(struct honest *h) {
    honest_all_with(h, ((const struct library *)h->own)->exponential);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    dlclose(((const struct library *)h->own)->handle);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
