// SPDX-License-Identifier: Apache-2.0
//
// Style: floating-point exceptions are held and cleared during a launch; the former environment is put
// back.
#include <fenv.h>

#include "honest.h"

static int launch(struct honest *h) {
    fenv_t before;
    if (feholdexcept(&before)) return honest_failed(h, "no floating-point environment");
    honest_all(h);
    const int raised = fetestexcept(FE_DIVBYZERO);
    if (fesetenv(&before)) return honest_failed(h, "no floating-point environment");
    return raised ? honest_failed(h, "a division by zero") : ASSAY_OK;
}

HONEST_KERNEL(launch)
