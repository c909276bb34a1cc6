// SPDX-License-Identifier: Apache-2.0
//
// Says that it knows biases, and never adds one.
#define BROKEN_FEATURES "bias"
#include "broken.h"

BROKEN_KERNEL(broken_launch_right)
