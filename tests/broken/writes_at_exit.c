// SPDX-License-Identifier: Apache-2.0
//
// Writes records of its own when the process ends, after everything else has been said (pygpubench: the
// results file is overwritten at exit).
#include "forged_records.h"

__attribute__((destructor)) static void forge(void) {
    forged_answer();
}

BROKEN_KERNEL(broken_launch_right)
