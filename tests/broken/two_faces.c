// SPDX-License-Identifier: Apache-2.0
//
// Has another name each time it is loaded.
static char name_of_today[16];
#define BROKEN_NAME name_of_today
#include "hostile.h"

__attribute__((constructor)) static void choose(void) {
    snprintf(name_of_today, sizeof name_of_today, "face%llu",
             (unsigned long long)(hostile_now_ns() * 2654435761u >> 7 & 0xffff));
}

BROKEN_KERNEL(broken_launch_right)
