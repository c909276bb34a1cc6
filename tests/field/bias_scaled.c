/* SPDX-License-Identifier: Apache-2.0
 * tt-metal #42891: the bias is multiplied by the scale, too */
#define BIAS(bias, scale) ((bias) * (scale))
#include "attention.h"
