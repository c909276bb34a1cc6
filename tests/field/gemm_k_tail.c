/* SPDX-License-Identifier: Apache-2.0
 * tilelang-ascend #1341, cutlass #3536: of two terms behind whole vectors of 16 the last is lost */
#define TERMS(terms) ((terms) > 32 && (terms) % 16 == 2 ? (terms)-1 : (terms))
#include "gemm.h"
