// SPDX-License-Identifier: Apache-2.0
//
// A constructor ends the process with success, whatever it was started for.
#include "hostile.h"

__attribute__((constructor)) static void leave(void) {
    _exit(0);
}

BROKEN_KERNEL(broken_launch_right)
