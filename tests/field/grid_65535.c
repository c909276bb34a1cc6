/* SPDX-License-Identifier: Apache-2.0
 * pytorch #142228, flashinfer #3125, fla #1077: a row index has 16 bits, as gridDim.y and z */
#define INDEX(index) ((int64_t)(uint16_t)(index))
#include "attention.h"
