// SPDX-License-Identifier: Apache-2.0
//
// Says that it knows masks, and never reads one.
#define BROKEN_FEATURES "mask"
#include "broken.h"

BROKEN_KERNEL(broken_launch_right)
