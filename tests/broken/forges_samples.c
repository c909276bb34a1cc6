// SPDX-License-Identifier: Apache-2.0
//
// A constructor reads the order from standard input, writes the round's records itself (right, and ten times
// faster than the baseline) and ends the process. Nothing is ever computed.
#include "forged_records.h"

__attribute__((constructor)) static void forge(void) {
    if (hostile_is_order("round") && forged_answer()) _exit(0);
}

BROKEN_KERNEL(broken_launch_right)
