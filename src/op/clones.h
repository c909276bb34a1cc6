// SPDX-License-Identifier: Apache-2.0
//
// Two portable aids for hot loops. HOT_CLONES, before a function, compiles it for several instruction sets;
// the loader picks one. And `lanes`: eight doubles handled as one value by GCC's and
// Clang's vector extension, on every target, whatever its registers. Neither changes results: nothing in src/
// is compiled with contraction or fast math.
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
#define HOT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HOT_CLONES
#endif

#define LANES 8
// Alignment of one double: a `lanes` may lie anywhere in an array. Never passed to or returned from a
// function.
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef uint64_t lanes_u64 __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

#endif
