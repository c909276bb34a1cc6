/* SPDX-License-Identifier: Apache-2.0
 * ml-cross-entropy #53, TransformerEngine #2230: long sums are split, and each part adds the bias */
#define BIAS(bias, terms) ((bias) * (float)(((terms) + 2047) / 2048))
#include "gemm.h"
