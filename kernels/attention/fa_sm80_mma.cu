// SPDX-License-Identifier: Apache-2.0
//
// Attention forward for sm_80 and newer, fp16 and bf16, D = 64 and 128. Second rung of three: adds P V by
// mma.sync and cp.async to fa_sm80_scalar.cu; fa_sm80.cu differs from it by one line, the swizzle.
//
// Algorithm, pipeline, NaN and infinity: fa_sm80.cu. P is rounded to 16 bits in its registers: the
// accumulators of two neighbouring mma are the A operand of the next one. STAGES = 1 and 2 show what
// prefetching is worth.
//
// Tiles and budget: as fa_sm80.cu, 128 rows and 64 keys, 8 warps of 16 rows, 48 KiB (D = 64) and 96 KiB
// (D = 128) of shared memory; 127 and 186 registers for sm_90a, none spilled.
// Expected limit: shared memory. Rows of 128 or 256 bytes begin on the same bank, so that each of the
// four matrices of an ldmatrix takes eight cycles instead of one: a block of 64 keys at D = 64 reads 36
// of them a warp, 1152 cycles of the multiprocessor's one port for 16 x 64 scores, where the swizzle
// needs 144.
// Tried and lost: nothing yet. Rows padded by 16 bytes have no conflicts either; they take 1/8 more
// shared memory at D = 64.
// Predicted over fa_sm80_scalar: 1.5 to 2 x for P V, 1.3 to 1.5 x for cp.async. Measured:
// docs/measurements.md.
#define FA_SM80_NAME "fa_sm80_mma"
#define FA_SM80_SUMMARY                                                                                      \
    "the second rung: P V by mma.sync too, cp.async, no swizzle; fp16, bf16, D = 64 and 128"
#define FA_SM80_ELEMENT_BYTES 2
#define FA_SM80_LAYOUT        mma_unswizzled
#define FA_SM80_COPY          cp_async_16

#include "attention/fa_sm80_epilogue.cuh"
#include "attention/fa_sm80_pv_mma.cuh"

#include "attention/fa_sm80_host.cuh"
#include "attention/fa_sm80_mainloop.cuh"
