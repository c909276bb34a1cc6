// SPDX-License-Identifier: Apache-2.0
//
// Two portable aids for hot loops. HOT_CLONES, before a function, compiles it for several instruction sets;
// the loader picks one. And `lanes`: a few doubles handled as one value by GCC's and Clang's vector
// extension, on every target. Neither changes results: nothing in src/ is compiled with contraction or fast
// math.
#ifndef OP_CLONES_H
#define OP_CLONES_H

#include <stdint.h>

// For static functions only: Clang 14 gives a function with clones a symbol that other files do not know.
// Needs an x86-64 ELF target with GNU indirect functions. Sanitizers instrument the resolvers, which run too
// early.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CLONES_ARE_OFF 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(ASSAY_NO_CLONES)
#define CLONES_ARE_OFF 1
#endif

#if defined(__x86_64__) && defined(__linux__) && !defined(CLONES_ARE_OFF)
#define CLONES_ARE_ON 1
#define HOT_CLONES    __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HOT_CLONES
#endif

// How many doubles a vector holds. The clones all share one width; 64 bytes, which AVX-512 could hold, make
// gcc 12 go through memory on everything else. Without clones it is what the target has.
#if defined(__AVX__) || defined(CLONES_ARE_ON)
#define LANES 4
#else
#define LANES 2
#endif
// Alignment of one double: these may lie anywhere in an array.
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef uint64_t lanes_u64 __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

#endif
