// SPDX-License-Identifier: Apache-2.0
// The macros VEC_... that a vec_<isa>.h defines for the templates row_math.h and simd_core.h. Each
// vec_<isa>.h includes this file first, which clears the macros of the previous one: a source file can
// instantiate the templates for several vector units and choose at run time. No include guard, on purpose.
//
//   VEC_ISA            suffix of the instances' names
//   VEC_TARGET         function attribute that enables the vector unit
//   VEC_LANES, vec_t   number of fp32 lanes, and a vector of them
//   VEC_TILE_ROWS, VEC_TILE_VECTORS
//                      tile of accumulators that fits the register file together with its operands
//   VEC_ZERO, VEC_SET1, VEC_LOAD, VEC_STORE, VEC_ADD, VEC_SUB, VEC_MUL
//                      as usual; loads and stores need no alignment
//   VEC_FIRST(a)       the first lane
//   VEC_FMA(a, b, c)   a * b + c
//   VEC_MAX(a, b)      the maximum; b if a or b is NaN
//   VEC_ABOVE(a, b)    not 0 if a > b in any lane
//   VEC_ROUND          to the nearest integer, ties to even
//   VEC_SCALE2(p, n)   p * 2^n for integral n in [-160, 16] and p in [0.5, 2]; 0 for n < -149 at the latest;
//                      NaN stays NaN
//   VEC_EXP2(x, f, s)  optional: row_exp2 of row_math.h, 2^(f x + s)
//   VEC_LOAD_FP16, VEC_LOAD_BF16, VEC_STORE_FP16, VEC_STORE_BF16
//                      VEC_LANES elements: widened when loaded, rounded to nearest even when stored
//   VEC_REDUCE_ADD, VEC_REDUCE_MAX
//                      over the lanes, in a fixed order
//   VEC_TRANSPOSE(r)   transposes an array of VEC_LANES vectors in place
#undef VEC_ISA
#undef VEC_TARGET
#undef VEC_LANES
#undef vec_t
#undef VEC_TILE_ROWS
#undef VEC_TILE_VECTORS
#undef VEC_ZERO
#undef VEC_SET1
#undef VEC_LOAD
#undef VEC_STORE
#undef VEC_FIRST
#undef VEC_ADD
#undef VEC_SUB
#undef VEC_MUL
#undef VEC_FMA
#undef VEC_MAX
#undef VEC_ABOVE
#undef VEC_ROUND
#undef VEC_SCALE2
#undef VEC_EXP2
#undef VEC_LOAD_FP16
#undef VEC_LOAD_BF16
#undef VEC_STORE_FP16
#undef VEC_STORE_BF16
#undef VEC_REDUCE_ADD
#undef VEC_REDUCE_MAX
#undef VEC_TRANSPOSE
