// SPDX-License-Identifier: Apache-2.0
//
// Measured peaks of the calling thread: fp32 multiply-adds from registers, and bandwidth over the caller's
// memory. The caller pins threads, runs one per core at the same time and adds up: a single core may clock
// higher than one with busy neighbours.
#ifndef WORKER_BACKEND_CPU_CEILINGS_CPU_H
#define WORKER_BACKEND_CPU_CEILINGS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

// Vector units, widest last. Every processor has ISA_SCALAR: the compiler's code for the build's baseline,
// without fused multiply-add (4 lanes of SSE2 on x86-64).
enum isa { ISA_INVALID = 0, ISA_SCALAR, ISA_NEON, ISA_AVX2, ISA_AVX512, ISA_COUNT };

const char *isa_name(enum isa isa);   // "scalar", "neon", "avx2", "avx512"; NULL when unknown
enum isa isa_parse(const char *name); // ISA_INVALID when unknown
bool isa_is_present(enum isa isa);    // whether its code can run here
enum isa isa_widest(void);            // of the processor we run on

// Multiply-adds (2 operations each) from registers, in pieces of at least 0.2 ms until budget_ns is over; the
// best piece counts, so that interruptions do not. ERR_UNAVAILABLE when the processor lacks isa.
int ceiling_cpu_fma(enum isa isa, uint64_t budget_ns, double *ret_gflop_per_s, struct err *err);

// Reads buffer (aligned to 64 bytes, 4096 bytes at least) again and again until budget_ns is over; the best
// pass counts. A buffer beyond the last cache gives the memory's bandwidth, a smaller one that of a cache.
int ceiling_cpu_read(const void *buffer, size_t bytes, uint64_t budget_ns, double *ret_gb_per_s,
                     struct err *err);

// Likewise, copying the first half of buffer to the second by memcpy. Bytes read and bytes written both
// count; the read that a write may cost on its way does not.
int ceiling_cpu_copy(void *buffer, size_t bytes, uint64_t budget_ns, double *ret_gb_per_s, struct err *err);

// Likewise, writing all of buffer by memset. The reads that writes may cost on their way do not count.
int ceiling_cpu_write(void *buffer, size_t bytes, uint64_t budget_ns, double *ret_gb_per_s, struct err *err);

#endif
