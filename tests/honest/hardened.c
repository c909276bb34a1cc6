// SPDX-License-Identifier: Apache-2.0
//
// Style: stack protectors everywhere, checked copies, all names bound when loading.
#include "honest.h"

HONEST_KERNEL(honest_launch_all)
