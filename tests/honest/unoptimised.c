// SPDX-License-Identifier: Apache-2.0
//
// Style: built without optimisation.
#include "honest.h"

HONEST_KERNEL(honest_launch_all)
