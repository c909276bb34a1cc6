// SPDX-License-Identifier: Apache-2.0
//
// Style: compiled when it is linked.
#include "honest.h"

HONEST_KERNEL(honest_launch_all)
