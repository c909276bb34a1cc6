// SPDX-License-Identifier: Apache-2.0
//
// Vector unit of vec_none.h's list: AArch64 NEON, 4 lanes, 32 registers. Part of the architecture's baseline,
// so there is nothing to check at run time. fp16 and bf16 conversions use base ARMv8-A instructions only.
#include "common/vec_none.h"

#if defined(__aarch64__)
#define VEC_ISA neon
#define VEC_TARGET
#define VEC_LANES        4
#define vec_t            float32x4_t
#define VEC_TILE_ROWS    6
#define VEC_TILE_VECTORS 4

#define VEC_ZERO()           vdupq_n_f32(0.0f)
#define VEC_SET1(x)          vdupq_n_f32(x)
#define VEC_LOAD(p)          vld1q_f32(p)
#define VEC_STORE(p, a)      vst1q_f32(p, a)
#define VEC_FIRST(a)         vgetq_lane_f32(a, 0)
#define VEC_ADD(a, b)        vaddq_f32(a, b)
#define VEC_SUB(a, b)        vsubq_f32(a, b)
#define VEC_MUL(a, b)        vmulq_f32(a, b)
#define VEC_FMA(a, b, c)     vfmaq_f32(c, a, b)
#define VEC_MAX(a, b)        vec_neon_max(a, b)
#define VEC_ABOVE(a, b)      vmaxvq_u32(vcgtq_f32(a, b))
#define VEC_ROUND(a)         vrndnq_f32(a)
#define VEC_SCALE2(p, n)     vec_neon_scale2(p, n)
#define VEC_LOAD_FP16(p)     vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))
#define VEC_LOAD_BF16(p)     vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16))
#define VEC_STORE_FP16(p, a) vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(a)))
#define VEC_STORE_BF16(p, a) vec_neon_store_bf16(p, a)
#define VEC_REDUCE_ADD(a)    vaddvq_f32(a)
#define VEC_REDUCE_MAX(a)    vmaxvq_f32(a)
#define VEC_TRANSPOSE(r)     vec_neon_transpose(r)

#ifndef COMMON_VEC_NEON_H
#define COMMON_VEC_NEON_H
#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool vec_neon_is_present(void) {
    return true;
}

// The instructions for a maximum keep a NaN of either, or lose that of b.
static inline float32x4_t vec_neon_max(float32x4_t a, float32x4_t b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

// n goes into the exponent field; results that would be subnormal become 0. A NaN p survives: n < -126 is
// false for NaN.
static inline float32x4_t vec_neon_scale2(float32x4_t p, float32x4_t n) {
    const int32x4_t shift = vshlq_n_s32(vcvtq_s32_f32(n), 23);
    const float32x4_t power =
        vreinterpretq_f32_s32(vaddq_s32(shift, vreinterpretq_s32_f32(vdupq_n_f32(1.0f))));
    const uint32x4_t is_tiny = vcltq_f32(n, vdupq_n_f32(-126.0f));
    return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(vmulq_f32(p, power)), is_tiny));
}

static inline void vec_neon_store_bf16(uint16_t *elements, float32x4_t a) {
    const uint32x4_t bits = vreinterpretq_u32_f32(a);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t nearest = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
    const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
    vst1_u16(elements, vshrn_n_u32(vbslq_u32(vceqq_f32(a, a), nearest, quiet), 16));
}

static inline void vec_neon_transpose(float32x4_t *r) {
    const float32x4x2_t a = vtrnq_f32(r[0], r[1]), b = vtrnq_f32(r[2], r[3]);
    r[0] = vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0]));
    r[1] = vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1]));
    r[2] = vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0]));
    r[3] = vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1]));
}
#endif
#endif
