// SPDX-License-Identifier: Apache-2.0
//
// Element types: names, sizes, exact conversion to double and back (round to nearest even). The kernels have
// their own conversions on purpose: the oracle shares no code with what it checks.
#ifndef OP_DTYPE_H
#define OP_DTYPE_H

#include <assay/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

const char *dtype_name(int32_t dtype); // as ASSAY_DTYPES has it; NULL when unknown
int32_t dtype_parse(const char *name); // ASSAY_DTYPE_INVALID when unknown
size_t dtype_bytes(int32_t dtype);
bool dtype_is_integer(int32_t dtype); // fp4_e2m1x2 too: its bytes are bits
// A result equals the reference or is wrong: integers, and e8m0, of which one step is a factor of 2.
bool dtype_is_exact(int32_t dtype);
double dtype_load(int32_t dtype, const void *element);
// e4m3 saturates at 448, e5m2 overflows to infinity, integers round and saturate; NaN stays NaN, or is 0.
// An int64 beyond 2^53 is the nearest double. bool loads its byte, so that one above 1 is wrong, and stores
// whether the value is not 0. e8m0 drops the sign and stores the nearest power of two, the greater one of two
// that are as near; what is too small is 2^-127, what is too large NaN, as PyTorch has it. A byte of
// fp4_e2m1x2 is read and written as uint8.
void dtype_store(int32_t dtype, void *element, double value);
// The same for count contiguous elements, vectorised.
void dtype_load_row(int32_t dtype, const void *elements, size_t count, double *ret_values);
void dtype_store_row(int32_t dtype, void *elements, size_t count, const double *values);
// One unit in the last place at |value| (the type's spacing there), for the 2 x rule's "+ 2 ulp".
double dtype_ulp(int32_t dtype, double value);

#endif
