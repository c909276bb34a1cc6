// SPDX-License-Identifier: Apache-2.0
//
// Right and measurable, but a destructor of the module crashes, after the process has said that all is done.
#include "hostile.h"

__attribute__((destructor)) static void crash(void) {
    int *volatile wild = (int *)(uintptr_t)8;
    *wild = 1;
}

BROKEN_KERNEL(broken_launch_right)
