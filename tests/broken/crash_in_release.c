// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose: right and measurable, but its release kills the process.
#define BROKEN_RELEASE crash
static void crash(void *state);
#include "broken.h"

static void crash(void *state) {
    broken_release(state);
    abort();
}

BROKEN_KERNEL(broken_launch_right)
