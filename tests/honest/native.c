// SPDX-License-Identifier: Apache-2.0
//
// Style: built for this processor alone.
#include "honest.h"

HONEST_KERNEL(honest_launch_all)
