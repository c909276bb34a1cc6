// SPDX-License-Identifier: Apache-2.0
//
// The ceilings that limit a problem: arithmetic of its type by the unit that does it (on a GPU the matrix
// unit for fp16, bf16 and fp8, else fp32 multiply-adds), and memory. Used by figures, guards and rooflines.
#ifndef VERDICT_PROBLEM_CEILINGS_H
#define VERDICT_PROBLEM_CEILINGS_H

#include "base/arena.h"
#include "record/result.h"

struct problem_ceilings {
    const struct ceiling *arithmetic, *memory; // NULL: none of the list applies
    double gflop_per_s, gb_per_s;              // NAN: not known
};
// dtype: of the problem; NULL: not known. clock_hz: of the multiprocessors under the kernel, as the run has
// seen it. A ceiling that scales with the clock is that of this clock; NAN: it stays as it was measured.
struct problem_ceilings problem_ceilings_get(const struct environment *environment, const char *dtype,
                                             double clock_hz);

// What may be wrong with a rate above its ceiling.
#define CEILING_SUSPECTS_ARITHMETIC                                                                          \
    "suspects: arithmetic of another precision or on sparse matrices, operations counted twice, launches "   \
    "that did not run"
#define CEILING_SUSPECTS_MEMORY "suspects: bytes counted twice, traffic that a cache served"
// "measured 3 days before the run"; NULL: there are none, or their age is not known. The oldest one
// that limits a problem of the result counts.
const char *ceilings_age_text(const struct result *result, struct arena *arena);

#endif
