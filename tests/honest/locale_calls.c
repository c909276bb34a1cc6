// SPDX-License-Identifier: Apache-2.0
//
// Style: a locale of its own for a launch, numbers through text and back, and the process' locale from
// the environment.
#include <locale.h>
#include <stdio.h>

#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    (void)setlocale(LC_ALL, ""); // kept
    h->own = NULL;
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return honest_failed(h, "no locale");
    const locale_t before = uselocale(plain);
    char text[64];
    snprintf(text, sizeof text, "%.17g", h->scale);
    h->scale = strtod(text, NULL);
    honest_all(h);
    uselocale(before);
    freelocale(plain);
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
