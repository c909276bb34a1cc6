/* SPDX-License-Identifier: Apache-2.0
 * Reported of many kernels: a row's offset is computed in 32 bits. */
#define OFFSET(row, stride) ((int32_t)((uint32_t)(row) * (uint32_t)(stride)))
#include "gemm.h"
