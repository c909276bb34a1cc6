// SPDX-License-Identifier: Apache-2.0
//
// Operands of hopper.cuh's instructions: TMA coordinates and wgmma matrix descriptors. Tiles lie in rows of
// 64 16-bit elements (one swizzle atom, 128 bytes) with the 128-byte swizzle; wider tiles are columns of such
// atoms, one after the other. Source: PTX ISA 8.x, "Matrix-Descriptor Format" of wgmma. No PTX here: the
// tests' emulator uses this file unchanged.
#ifndef COMMON_HOPPER_DESCRIPTOR_CUH
#define COMMON_HOPPER_DESCRIPTOR_CUH

#include <stdint.h>

#include "common/thread_block.cuh"

#define SWIZZLE_ATOM_ELEMENTS 64 // 16-bit elements in the 128 bytes of a swizzled row

// Coordinates of a box in a tensor [batch][head][row][dim], in elements.
struct tma_coords {
    int dim, row, head, batch;
};

// Shared memory addresses in the descriptor's units of 16 bytes. The upper bits of an address name the thread
// block of a cluster; in a descriptor those bits are other fields.
#define DESCRIPTOR_UNIT         16
#define CTA_SHARED_WINDOW_BYTES (1u << 24)
__device__ __forceinline__ uint32_t descriptor_units(const void *p) {
    return smem_address(p) % CTA_SHARED_WINDOW_BYTES / DESCRIPTOR_UNIT;
}

// Descriptor of a tile with the 128-byte swizzle: groups of 8 rows are group_bytes apart (stride byte
// offset).
// For an MN-major tile wider than one atom, atom_column_bytes is the distance from one column of atoms to the
// next (leading byte offset).
__device__ __forceinline__ uint64_t wgmma_descriptor(uint32_t units,
                                                     uint32_t atom_column_bytes = DESCRIPTOR_UNIT,
                                                     uint32_t group_bytes = 8 * 128) {
    return (uint64_t)(group_bytes / DESCRIPTOR_UNIT | 1u << 30) << 32 |
           (units + (atom_column_bytes / DESCRIPTOR_UNIT << 16));
}
// Descriptor of a K-major fp8 tile in rows of 128 or 64 bytes with the swizzle of that width.
template <int row_bytes>
__device__ __forceinline__ uint64_t wgmma_descriptor_fp8(uint32_t units,
                                                         uint32_t group_bytes = 8 * row_bytes) {
    static_assert(row_bytes == 64 || row_bytes == 128, "one swizzled row");
    const uint32_t mode = row_bytes == 128 ? 1u : 2u;
    return (uint64_t)(group_bytes / DESCRIPTOR_UNIT | mode << 30) << 32 | (units + (1u << 16));
}
// Steps along k, in descriptor units.
#define DESCRIPTOR_STEP_K_MAJOR  2   // one k step of a K-major tile: 32 bytes of a row
#define DESCRIPTOR_STEP_MN_MAJOR 128 // one k step of an MN-major tile: 16 rows

#endif
