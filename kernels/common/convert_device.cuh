// SPDX-License-Identifier: Apache-2.0
//
// Conversions in device code (host: convert.h): one element of any dtype to fp32 and back, by the CUDA
// toolkit's functions. The same rules: round to nearest even, fp16 and bf16 overflow to infinity, e4m3
// saturates at 448 and keeps NaN.
#ifndef COMMON_CONVERT_DEVICE_CUH
#define COMMON_CONVERT_DEVICE_CUH

#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

__device__ __forceinline__ float convert_device_e4m3_to_float(uint8_t bits) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)));
}

__device__ __forceinline__ float convert_device_round_e4m3(float value) {
    return convert_device_e4m3_to_float(__nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3));
}

// Element `index` of a row.
__device__ __forceinline__ float convert_device_load(const char *row, int64_t index, int32_t dtype) {
    switch (dtype) {
    case ASSAY_FP16: return __half2float(reinterpret_cast<const __half *>(row)[index]);
    case ASSAY_BF16: return __bfloat162float(reinterpret_cast<const __nv_bfloat16 *>(row)[index]);
    case ASSAY_FP8_E4M3: return convert_device_e4m3_to_float(reinterpret_cast<const uint8_t *>(row)[index]);
    default: return reinterpret_cast<const float *>(row)[index];
    }
}

__device__ __forceinline__ void convert_device_store(char *row, int64_t index, int32_t dtype, float value) {
    switch (dtype) {
    case ASSAY_FP16: reinterpret_cast<__half *>(row)[index] = __float2half_rn(value); break;
    case ASSAY_BF16: reinterpret_cast<__nv_bfloat16 *>(row)[index] = __float2bfloat16_rn(value); break;
    case ASSAY_FP8_E4M3:
        reinterpret_cast<uint8_t *>(row)[index] = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
        break;
    default: reinterpret_cast<float *>(row)[index] = value; break;
    }
}

#endif
