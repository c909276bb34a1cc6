// SPDX-License-Identifier: Apache-2.0
//
// Style: takes its own time in every launch, by the clock and by the cycle counter, and prints the sum
// in release.
#include <stdio.h>

#include "honest.h"
#include "own_time.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

struct profile {
    double seconds, cycles;
};

static double cycles(void) {
#if defined(__x86_64__)
    return (double)__rdtsc();
#else
    return 0;
#endif
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    h->own = calloc(1, sizeof(struct profile));
    return h->own ? ASSAY_OK : honest_failed(h, "out of memory");
}

static int launch(struct honest *h) {
    struct profile *p = (struct profile *)h->own;
    const int64_t began_ns = now_ns();
    const double first_cycle = cycles();
    honest_all(h);
    p->cycles += cycles() - first_cycle;
    p->seconds += (double)(now_ns() - began_ns) * 1e-9;
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    const struct profile *p = (const struct profile *)h->own;
    fprintf(stderr, "honest: %.3g s, %.3g cycles in %lld launches\n", p->seconds, p->cycles,
            (long long)h->launches);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
