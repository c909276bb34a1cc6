// SPDX-License-Identifier: Apache-2.0
//
// Asks for a workspace of 2^62 bytes.
#define BROKEN_WORKSPACE ((size_t)1 << 62)
#include "broken.h"

BROKEN_KERNEL(broken_launch_right)
