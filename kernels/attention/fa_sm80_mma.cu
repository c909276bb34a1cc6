// SPDX-License-Identifier: Apache-2.0
//
// Attention forward for sm_80 and newer, fp16 and bf16, D = 64 and 128. Second rung of three: after fa_sm80_scalar.cu P V on the
// tensor cores and asynchronous copies; before fa_sm80.cu, which differs by one line, the swizzle.
//
// Algorithm, pipeline and special values: fa_sm80.cu. P is rounded to 16 bits where it lies: the accumulators of two products side
// by side are the operand of the next one. STAGES = 1 and 2 tell what copies in advance are worth.
//
// Tiles and budget: as fa_sm80.cu, 128 rows and 64 keys, 8 warps of 16 rows, 48 KiB (D = 64) and 96 KiB (D = 128) of shared
// memory; 127 and 186 registers for sm_90a, none spilled.
// Expected limit: shared memory. Rows of 128 or 256 bytes begin on the same bank, so that each of the four matrices of an ldmatrix
// takes eight cycles in place of one: a key block of 64 keys and D = 64 reads 36 of them a warp, 1152 cycles of the
// multiprocessor's one port for 16 x 64 scores, where the swizzle needs 144.
// Tried and lost: nothing yet. Rows padded by 16 bytes meet no conflicts either; they take 1/8 more shared memory at D = 64.
// Predicted over fa_sm80_scalar: 1.5 to 2 x for P V, 1.3 to 1.5 x for the copies. Measured: docs/measurements.md.
#define FA_NAME          "fa_sm80_mma"
#define FA_SUMMARY       "the second rung: P V by mma.sync too, cp.async, no swizzle; fp16, bf16, D = 64 and 128"
#define FA_ELEMENT_BYTES 2
#define FA_LAYOUT        mma_plain
#define FA_COPY          mma_copy_async

#include "attention/fa_half.cuh"
#include "attention/fa_half_output.cuh"

#include "attention/fa_frame.cuh"
#include "attention/fa_host.cuh"
