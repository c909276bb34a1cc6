// SPDX-License-Identifier: Apache-2.0
//
// Exports the wrong one of two kernels; the baseline is alias_right.c, whose sections have the same bytes. A
// gate that takes both for the same machine code has nothing to measure.
#include "alias.h"

ALIAS_EXPORT(alias_module_wrong)
