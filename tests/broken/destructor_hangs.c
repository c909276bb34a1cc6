// SPDX-License-Identifier: Apache-2.0
//
// Right and measurable, but a destructor of the module never returns.
#include "hostile.h"

__attribute__((destructor)) static void hang(void) {
    for (;;) sleep(1);
}

BROKEN_KERNEL(broken_launch_right)
