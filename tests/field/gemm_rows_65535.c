/* SPDX-License-Identifier: Apache-2.0
 * pytorch #142228: rows beyond the 65535 blocks of a grid's second dimension are computed at other places */
#define ROW(row) ((row) % 65535)
#include "gemm.h"
