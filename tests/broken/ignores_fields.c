// SPDX-License-Identifier: Apache-2.0
//
// Says that it knows V's own head dimension, sliding windows, capped scores and other types of the output,
// and computes as if there were none.
#define BROKEN_FEATURES "head_dim_v window softcap out_dtype"
#include "broken.h"

BROKEN_KERNEL(broken_launch_right)
