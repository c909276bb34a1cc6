// SPDX-License-Identifier: Apache-2.0
//
// The arguments of the device kernels that measure ceilings (ceiling_kernels.cu), and how much work a block
// does. Plain C99 as device_kernel_args.h. The kernels do not fill the device by themselves: the caller
// chooses grid and repeats. Results are stored only where `sums` is given (checks do): no compiler knows that
// it is not, so the work is done either way.
#ifndef DEVICE_CEILING_KERNEL_ARGS_H
#define DEVICE_CEILING_KERNEL_ARGS_H

#include <stdint.h>

#define DEV_CEILING_THREADS 256 // of a block that computes

// ---- assay_ceiling_read, _write, _copy: any grid ----

// Memory is walked in tiles: 2 vectors of 16 bytes a thread.
#define DEV_CEILING_MEMORY_THREADS 512
#define DEV_CEILING_TILE_VECTORS   2
#define DEV_CEILING_TILE_BYTES     (16 * DEV_CEILING_TILE_VECTORS * DEV_CEILING_MEMORY_THREADS)
struct dev_ceiling_memory {
    const void *from; // read, copy
    void *to;         // write, copy; of as many bytes
    uint64_t *sums;   // [1], read: the exclusive or of all 8-byte words that were read; NULL: none
    uint64_t seed;    // write: of the random words of a tile, the same for every tile
    uint32_t tile_count;
    uint32_t items; // walked by a block: item i of block b is tile (b + i * grid) % tile_count
};

// ---- assay_ceiling_fma, assay_ceiling_matrix_<dtype>: any grid ----

struct dev_ceiling_compute {
    double *sums;  // [1]: the sum of all accumulators, added; NULL: none
    uint64_t seed; // of the operands; block b takes seed + b
    uint32_t repeats;
    uint32_t reserved;
};
#define DEV_CEILING_FMA_CHAINS 16 // independent accumulators of a thread
#define DEV_CEILING_FMA_STEPS  32 // multiply-adds of each in a repeat

// A matrix instruction takes 32 bytes of each row of its operands: 16 numbers of 16 bits. Its operands are
// rows of 4-byte words drawn by dev_ceiling_word(); the result is a (rows) times b (rows), transposed.
enum dev_ceiling_operand { DEV_CEILING_A = 0, DEV_CEILING_B };
// mma.sync: each warp w multiplies operands of its own (seed + block + w), 2 x 4 tiles of 16 x 8.
#define DEV_CEILING_MMA_A_ROWS    32
#define DEV_CEILING_MMA_B_ROWS    32
#define DEV_CEILING_MMA_ROW_WORDS 8
// wgmma: each of the block's warpgroups multiplies all of a by all of b.
#define DEV_CEILING_WGMMA_GROUPS    2  // warpgroups of a block, which multiply the same operands
#define DEV_CEILING_WGMMA_A_ROWS    64 // with B 40 KB of shared memory
#define DEV_CEILING_WGMMA_B_ROWS    256
#define DEV_CEILING_WGMMA_ROW_WORDS 32

#endif
