// SPDX-License-Identifier: Apache-2.0
//
// Attention forward for sm_80 and newer, fp16 and bf16, D = 64 and 128: tensor cores by mma.sync, online softmax in
// registers. The last of three rungs (fa_sm80_scalar.cu, fa_sm80_mma.cu); what Hopper alone has (wgmma, TMA) is not used.
//
// Algorithm: a block of threads computes a tile of BLOCK_M query rows of one head; each warp owns BLOCK_M / NUM_WARPS rows
// from Q to O and shares only K and V with the others. Keys come in blocks of BLOCK_N: S = Q K^T, running maximum and sum (O is
// scaled when the maximum grows), P rounded to 16 bits in registers, O += P V. The scale is folded into the exponent's
// multiply-add, base 2. Key blocks that no row of the tile sees are skipped; causal tiles start with the longest.
// Pipeline: K and V by cp.async into STAGES buffers, one barrier a key block. With STAGES = 1 V loads under Q K^T and the next K
// under P V, two barriers. Shared tiles are swizzled in 16-byte chunks: ldmatrix meets no bank conflict.
// Special values: a masked key has weight 0, and 0 x NaN would reach rows that do not see it. Key blocks on the diagonal are
// therefore searched for infinities and NaNs in V; where there are any they are added by the rows that see them and are
// replaced by 0 before the product.
// Its parts: fa_thread.cuh (a thread's rows), fa_frame.cuh (the loop), fa_half.cuh, fa_half_output.cuh, fa_host.cuh.
//
// Budget at the defaults, D = 64: Q 16 KiB + 2 x (K 8 + V 8) KiB = 48 KiB of shared memory a block of 256 threads. Registers:
// O 32 and S 32 of 128 a thread (16 rows a warp), so that two blocks, 16 warps, fit a multiprocessor; Q is read from shared
// memory again for every key block. Nothing is spilled for sm_90a, one register for sm_80 and sm_89. D = 128: 96 KiB, 186
// registers, one block.
// Expected limit: mma.sync reaches about 60 % of Hopper's tensor rate; then exp2 (16 a clock and SM) in the same warps.
// Tried and lost: rows' counts of visible keys and the tile's place kept over the loop (six registers spilled; both are found again
// where they are needed); strides of 32 bits (eight spilled).
// Predicted over fa_sm80_mma: 1.1 to 1.2 x. Measured, with its peers on an H200: docs/measurements.md.
#define FA_NAME          "fa_sm80"
#define FA_SUMMARY       "mma.sync, cp.async and ldmatrix, online softmax in registers; fp16, bf16, D = 64 and 128"
#define FA_ELEMENT_BYTES 2
#define FA_LAYOUT        mma_swizzled
#define FA_COPY          mma_copy_async

#include "attention/fa_half.cuh"
#include "attention/fa_half_output.cuh"

#include "attention/fa_frame.cuh"
#include "attention/fa_host.cuh"
