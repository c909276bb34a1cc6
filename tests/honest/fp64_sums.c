// SPDX-License-Identifier: Apache-2.0
//
// Style: all sums in double precision; the base of the others.
#include "honest.h"

HONEST_KERNEL(honest_launch_all)
