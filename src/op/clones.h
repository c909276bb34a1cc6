// SPDX-License-Identifier: Apache-2.0
//
// Two portable aids for hot loops. HOT_CLONES, before a function, compiles it for several instruction
// sets; the loader picks one. `lanes` is a vector of a few doubles by GCC's and Clang's vector extension,
// on every target. Neither changes results: nothing in src/ is compiled with contraction or fast math.
#ifndef OP_CLONES_H
#define OP_CLONES_H

#include <stdint.h>

// For static functions only: Clang 14 gives a function with clones a symbol that other files cannot link
// to. Needs an x86-64 ELF target with GNU indirect functions. Sanitizers instrument the resolvers, which
// run too early.
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

// Doubles per vector. All clones share one width: 64 bytes would suit AVX-512, but on every other target
// gcc 12 would pass such vectors through memory. Without clones it is the target's own width.
#if defined(__AVX__) || defined(CLONES_ARE_ON)
#define LANES 4
#else
#define LANES 2
#endif
// Aligned like one double, because a vector may begin anywhere in an array.
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef uint64_t lanes_u64 __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

#endif
