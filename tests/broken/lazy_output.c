// SPDX-License-Identifier: Apache-2.0
//
// Lazy output (reference-kernels #162, KernelBench): a launch makes its output inaccessible and returns.
// Whoever looks at the output gets a signal, and the handler computes: outside what is timed.
#define BROKEN_RELEASE release_lazily
static void release_lazily(void *state);
#include "hostile.h"

#define PENDING 128

static struct broken pending[PENDING]; // own: it waits
static struct sigaction before;

static void change(const struct broken *b, int access) {
    const size_t bytes = (size_t)(b->o.shape[0] * b->o.stride[0]) * sizeof(float);
    const uintptr_t page = (uintptr_t)b->o.data & ~(uintptr_t)4095;
    mprotect((void *)page, (uintptr_t)b->o.data + bytes - page, access);
}

static void finish(struct broken *b) {
    change(b, PROT_READ | PROT_WRITE);
    b->own = NULL;
    broken_right(b);
}

static void on_fault(int number, siginfo_t *info, void *context) {
    const uintptr_t at = (uintptr_t)info->si_addr;
    for (int i = 0; i < PENDING; ++i) {
        struct broken *b = &pending[i];
        const uintptr_t begin = (uintptr_t)b->o.data & ~(uintptr_t)4095;
        const uintptr_t end =
            (uintptr_t)b->o.data + (uintptr_t)(b->o.shape[0] * b->o.stride[0]) * sizeof(float);
        if (!b->own || at < begin || at >= end) continue;
        finish(b);
        return;
    }
    if (before.sa_sigaction && (before.sa_flags & SA_SIGINFO))
        before.sa_sigaction(number, info, context);
    else
        signal(number, SIG_DFL);
}

static void release_lazily(void *state) {
    for (int i = 0; i < PENDING; ++i)
        if (pending[i].own) finish(&pending[i]);
    memset(pending, 0, sizeof pending);
    free(state);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct sigaction now = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sigaction old;
    sigaction(SIGSEGV, &now, &old);
    if (old.sa_sigaction != on_fault) before = old;
    int i = 0;
    while (i < PENDING - 1 && pending[i].o.data && pending[i].o.data != b->o.data) ++i;
    const int is_waiting = pending[i].own && pending[i].o.data == b->o.data;
    pending[i] = *b;
    pending[i].own = &pending[i];
    if (!is_waiting) change(b, PROT_NONE);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
