/* SPDX-License-Identifier: Apache-2.0
 * no bug */
#include "gemm.h"
