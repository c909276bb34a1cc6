// SPDX-License-Identifier: Apache-2.0
//
// Style: writes its output past the caches, and fences at the end.
#include "honest.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static void store(float *to, const float *from, int64_t n) {
    int64_t d = 0;
#if defined(__SSE2__)
    if ((uintptr_t)to % 16 == 0)
        for (; d + 4 <= n; d += 4) _mm_stream_ps(to + d, _mm_loadu_ps(from + d));
#endif
    for (; d < n; ++d) to[d] = from[d];
}

static int launch(struct honest *h) {
    float row[HONEST_DIM_MAX];
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        honest_row_to(h, i, row);
        store(honest_place_of(h, i).o, row, h->head_dim);
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
