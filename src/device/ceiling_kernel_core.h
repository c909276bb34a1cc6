// SPDX-License-Identifier: Apache-2.0
//
// The random operands of the kernels that measure ceilings: for nvcc, and for the checks on the host. Power
// and with it the clock depend on how many bits change: zeros would run faster than any kernel does.
#ifndef DEVICE_CEILING_KERNEL_CORE_H
#define DEVICE_CEILING_KERNEL_CORE_H

#include "device/ceiling_kernel_args.h"
#include "device/device_kernel_core.h"

// Nobody has to be kept from computing these: the finaliser of SplitMix64 is enough.
DEV_FN uint32_t dev_ceiling_random(uint64_t seed, uint64_t stream, uint64_t index) {
    const uint64_t first = dev_mix(seed + DEV_GOLDEN);
    return (uint32_t)dev_mix(dev_mix(first + stream + DEV_GOLDEN) + index + DEV_GOLDEN);
}

// Word `index` of a tile that is written.
DEV_FN uint32_t dev_ceiling_tile_word(uint64_t seed, uint32_t index) {
    return dev_ceiling_random(seed, 0, index);
}

// Numbers of a type in one word: random signs and fractions, magnitudes from 1/8 to 2. fp32 is cut to the 19
// bits of tf32.
DEV_FN uint32_t dev_ceiling_numbers(int32_t dtype, uint32_t bits) {
    switch (dtype) {
    case ASSAY_FP16: return (bits & 0x8fff8fffu) | 0x30003000u;
    case ASSAY_BF16: return (bits & 0x81ff81ffu) | 0x3e003e00u;
    case ASSAY_FP8_E4M3: return (bits & 0x9f9f9f9fu) | 0x20202020u;
    default: return (bits & 0x81ffe000u) | 0x3e000000u;
    }
}

// Word `index` of an operand: row * words of a row + word of the row.
DEV_FN uint32_t dev_ceiling_word(int32_t dtype, uint64_t seed, int operand, uint32_t index) {
    return dev_ceiling_numbers(dtype, dev_ceiling_random(seed, (uint64_t)operand, index));
}

// A factor or summand of the multiply-adds: magnitude from 1/2 to 1, so that no sum grows without end.
DEV_FN float dev_ceiling_factor(uint64_t seed, uint32_t thread, uint32_t index) {
    return dev_float((dev_ceiling_random(seed, thread, index) & 0x807fffffu) | 0x3f000000u);
}

#endif
