// SPDX-License-Identifier: Apache-2.0
//
// Unchanged kernels, CV 7 %, processes 2 % apart: is none accused, alone or among 27, and nearly every one
// proved unchanged? Problems of a family are independent here, which is the worst case for "any of them".
#include "stats/simulate.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct cell unchanged = {.name = "unchanged, CV 7, spread 2",
                                      .process = 0.02,
                                      .sample_count = 100,
                                      .noise = {.kind = NOISE_LOGNORMAL, .cv = 0.07}};

static const struct promise promises[] = {
    {.cell = &unchanged, .verdict = VERDICT_REGRESSION, .rate = 0.03, .is_of_family = true},
    {.cell = &unchanged, .verdict = VERDICT_REGRESSION, .rate = 0.0015},
    {.cell = &unchanged, .verdict = VERDICT_MAINTAINED, .rate = 0.97, .is_floor = true},
};

static void unchanged_kernels_are_proved_and_not_accused(void **state) {
    (void)state;
    promises_keep(promises, sizeof promises / sizeof *promises);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(unchanged_kernels_are_proved_and_not_accused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
