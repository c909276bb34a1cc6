// SPDX-License-Identifier: Apache-2.0
//
// What the instructions of hopper.cuh are given: shared addresses, places in tensors, matrix descriptors. Tiles lie in rows of
// 64 16-bit elements with the 128-byte swizzle; wider ones in columns of 64, one behind the other. Source: PTX ISA 8.x,
// "Matrix-Descriptor Format" of wgmma. No PTX: the emulator of the tests takes this file as it is.
#ifndef COMMON_HOPPER_DESCRIPTOR_CUH
#define COMMON_HOPPER_DESCRIPTOR_CUH

#include "common/thread_block.cuh"

#include <stdint.h>

#define SWIZZLE_ATOM_ELEMENTS 64 // elements of a swizzled row: 128 bytes

// Where a box begins in a tensor of four dimensions, in elements.
struct tma_coords {
    int dim, row, head, batch;
};

// Where something lies in the thread block's shared memory, in the units of operands. The upper bits of an address say which thread
// block of a cluster; an operand has other things there.
#define DESCRIPTOR_UNIT         16
#define CTA_SHARED_WINDOW_BYTES (1u << 24)
__device__ __forceinline__ uint32_t descriptor_units(const void *p) {
    return smem_address(p) % CTA_SHARED_WINDOW_BYTES / DESCRIPTOR_UNIT;
}

// A swizzled tile as a matrix operand: groups of 8 rows lie 1024 bytes apart. A tile whose rows are the product's depth and that
// is wider than 64: atom_column_bytes from one column of 64 to the next.
__device__ __forceinline__ uint64_t wgmma_descriptor(uint32_t units,
                                                     uint32_t atom_column_bytes = DESCRIPTOR_UNIT) {
    return (uint64_t)(1024 / DESCRIPTOR_UNIT | 1u << 30) << 32 |
           (units + (atom_column_bytes / DESCRIPTOR_UNIT << 16));
}
// A tile of bytes in rows of 128 or 64 bytes with the swizzle of that width, rows of the product.
template <int row_bytes> __device__ __forceinline__ uint64_t wgmma_descriptor_fp8(uint32_t units) {
    static_assert(row_bytes == 64 || row_bytes == 128, "one swizzled row");
    const uint32_t mode = row_bytes == 128 ? 1u : 2u;
    return (uint64_t)(8 * row_bytes / DESCRIPTOR_UNIT | mode << 30) << 32 | (units + (1u << 16));
}
#define DESCRIPTOR_STEP_K_MAJOR  2   // units of 32 bytes of a row, where rows are rows of the product
#define DESCRIPTOR_STEP_MN_MAJOR 128 // units of 16 rows, where rows are its depth

#endif
