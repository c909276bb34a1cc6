// SPDX-License-Identifier: Apache-2.0
//
// The type by which matrix instructions on tf32 are chosen: numbers of fp32 whose low 13 bits are not read.
#ifndef COMMON_MMA_TF32_CUH
#define COMMON_MMA_TF32_CUH

struct mma_tf32 {};

#endif
