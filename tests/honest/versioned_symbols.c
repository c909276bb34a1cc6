// SPDX-License-Identifier: Apache-2.0
//
// Style: its exported symbol has a version, and the library a name of its own.
#include "honest.h"

HONEST_KERNEL(honest_launch_all)
