// SPDX-License-Identifier: Apache-2.0
//
// The driver's tensor maps, as far as the kernels use them. The enumerators have values of our own.
#ifndef EMULATOR_CUDA_H
#define EMULATOR_CUDA_H

#include "emulator.h"

typedef int CUresult;
#define CUDA_SUCCESS 0
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8 = 1, // sizes of an element
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 2,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 2
} CUtensorMapDataType;
typedef enum { CU_TENSOR_MAP_INTERLEAVE_NONE } CUtensorMapInterleave;
typedef enum { CU_TENSOR_MAP_SWIZZLE_64B = 64, CU_TENSOR_MAP_SWIZZLE_128B = 128 } CUtensorMapSwizzle;
typedef enum { CU_TENSOR_MAP_L2_PROMOTION_L2_256B } CUtensorMapL2promotion;
typedef enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE } CUtensorMapFloatOOBfill;

struct alignas(64) CUtensorMap {
    char *data;
    uint64_t size[4], stride_bytes[4]; // of an element, a row, a head, a batch
    uint32_t box[4];
    uint32_t size_bytes; // of an element
    uint32_t swizzle_bytes;
};

#endif
