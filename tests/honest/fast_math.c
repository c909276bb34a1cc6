// SPDX-License-Identifier: Apache-2.0
//
// Style: -ffast-math, whose start-up code (crtfastmath) turns subnormal numbers off when the module is
// loaded.
#include "honest.h"

HONEST_KERNEL(honest_launch_all)
