/* SPDX-License-Identifier: Apache-2.0
 *
 * Included by assay before the source of a declared operator's reference, to compile it a second time with
 * fp32 in place of fp64: what a kernel of single precision can be expected to do. The standard's headers come
 * first, so that what they declare keeps its types; <tgmath.h> makes sqrt of a float sqrtf. */
#ifndef ASSAY_REFERENCE_SINGLE_H
#define ASSAY_REFERENCE_SINGLE_H

#include <assay/kernel.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#undef I

#define double float
#define ASSAY_FP64  ASSAY_FP32
#define DBL_MAX     FLT_MAX
#define DBL_MIN     FLT_MIN
#define DBL_EPSILON FLT_EPSILON
#undef HUGE_VAL
#define HUGE_VAL HUGE_VALF

#endif
