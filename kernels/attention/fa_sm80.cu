// SPDX-License-Identifier: Apache-2.0
//
// Attention forward for sm_80 and newer, fp16 and bf16, D = 64 and 128: tensor cores by mma.sync,
// cp.async, swizzled shared memory, online softmax in registers. The last of three rungs
// (fa_sm80_scalar.cu, fa_sm80_mma.cu); does not use what only Hopper has (wgmma, TMA).
//
// Algorithm: FlashAttention-2. A thread block computes a tile of BLOCK_M query rows of one head; each
// warp owns BLOCK_M / NUM_WARPS rows from Q to O and shares only K and V with the others. Key blocks of
// BLOCK_N: S = Q K^T, running maximum and sum (O is rescaled when the maximum grows), P rounded to 16
// bits in registers, O += P V. The softmax scale is folded into the exponent's FFMA, base 2. Key blocks
// that no row of the tile sees are skipped; causal tiles start with the longest.
// Pipeline: K and V by cp.async into STAGES buffers, one barrier a key block. With STAGES = 1, V loads
// under Q K^T and the next K under P V, two barriers. Shared tiles are XOR-swizzled in 16-byte chunks:
// ldmatrix has no bank conflicts.
// NaN and infinity: a masked key has P = 0, and 0 x NaN would reach rows that do not see it. Key blocks
// on the diagonal are therefore searched for infinities and NaNs in V; those found are added by the rows
// that see them and replaced by 0 before the product.
// Its parts: fa_sm80_fragments.cuh (a thread's rows), fa_sm80_mainloop.cuh (the loop),
// fa_sm80_epilogue.cuh, fa_sm80_pv_mma.cuh, fa_sm80_host.cuh.
//
// Budget at the defaults, D = 64: Q 16 KiB + 2 x (K 8 + V 8) KiB = 48 KiB of shared memory for a thread
// block of 256 threads. Registers: O 32 and S 32 of 128 a thread (16 rows a warp), so that two thread
// blocks, 16 warps, fit a multiprocessor; Q is read from shared memory again for every key block. Nothing
// is spilled for sm_90a, one register for sm_80 and sm_89. D = 128: 96 KiB, 186 registers, one thread
// block.
// Expected limit: mma.sync reaches about 60 % of Hopper's tensor rate; then exp2 (16 a clock and SM) in
// the same warps.
// Tried and lost: the rows' visible-key counts and the tile index kept over the loop (six registers
// spilled; both are computed again where needed); 32-bit strides (eight spilled).
// Predicted over fa_sm80_mma: 1.1 to 1.2 x. Measured, with its peers on an H200: docs/measurements.md.
#define FA_SM80_NAME "fa_sm80"
#define FA_SM80_SUMMARY                                                                                      \
    "mma.sync, cp.async and ldmatrix, online softmax in registers; fp16, bf16, D = 64 and 128"
#define FA_SM80_ELEMENT_BYTES 2
#define FA_SM80_LAYOUT        mma_swizzled
#define FA_SM80_COPY          cp_async_16

#include "attention/fa_sm80_epilogue.cuh"
#include "attention/fa_sm80_pv_mma.cuh"

#include "attention/fa_sm80_host.cuh"
#include "attention/fa_sm80_mainloop.cuh"
