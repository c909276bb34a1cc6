// SPDX-License-Identifier: Apache-2.0
//
// Exports the right one of the two kernels of alias.h: the baseline of alias.c, and right.
#include "alias.h"

ALIAS_EXPORT(alias_module_right)
