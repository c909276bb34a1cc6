// SPDX-License-Identifier: Apache-2.0
//
// Asks for a quarter more workspace than the machine has memory. Whoever fills it brings the machine down.
#define BROKEN_WORKSPACE ((size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 4 * 5)
#include "hostile.h"

BROKEN_KERNEL(broken_launch_right)
