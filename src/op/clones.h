// SPDX-License-Identifier: Apache-2.0
//
// HOT_CLONES: put before a function whose loops are worth compiling for several instruction sets; the loader
// picks one. All clones give the same bits, because nothing in src/ is compiled with contraction or fast
// math. Elsewhere than on x86-64 Linux with a compiler that knows the attribute it is empty.
#ifndef OP_CLONES_H
#define OP_CLONES_H

#if defined(__x86_64__) && defined(__linux__) && (defined(__GNUC__) || defined(__clang__)) &&                \
    !defined(__SANITIZE_ADDRESS__) && !defined(ASSAY_NO_CLONES)
#define HOT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HOT_CLONES
#endif

#endif
