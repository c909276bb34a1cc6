# SPDX-License-Identifier: Apache-2.0
#
# The language, warnings and floating-point rules of each part of the tree, as interface libraries:
#   assay_flags   src/ and tests/: C17, all warnings, no contraction of a*b+c (results must not depend on the compiler),
#                 and no aliasing by type: a problem's params are bytes that every operator reads as its own struct
#   kernel_flags  shipped kernels that are linked in: GNU C17, -O3, their own arithmetic

include(CheckCCompilerFlag)

# Assertions stay on in the optimised build: NDEBUG is not among the flags.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(assay_flags INTERFACE)
target_compile_definitions(assay_flags INTERFACE _GNU_SOURCE)
target_compile_options(assay_flags INTERFACE
    -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wundef
    -ffp-contract=off -fno-strict-aliasing)

add_library(kernel_flags INTERFACE)
target_compile_definitions(kernel_flags INTERFACE _GNU_SOURCE)
target_compile_options(kernel_flags INTERFACE -std=gnu17 -Wall -Wextra -O3)

if(ASSAY_WERROR)
    target_compile_options(assay_flags INTERFACE -Werror)
    target_compile_options(kernel_flags INTERFACE -Werror)
endif()

if(ASSAY_SANITIZE)
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_compile_options(${sanitize})
    add_link_options(-fsanitize=address,undefined)
    find_program(ASSAY_LLD ld.lld)
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND ASSAY_LLD)
        add_link_options(-fuse-ld=lld) # 240 programs, each in a third of the time
    endif()
    # gcc 12 takes the null checks that the sanitizer adds for null arguments of printf.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_compile_options(assay_flags INTERFACE -Wno-format-truncation -Wno-format-overflow)
    endif()
endif()

if(ASSAY_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ASSAY_COVERAGE)
    add_compile_options(--coverage -O0)
    add_link_options(--coverage)
endif()

if(ASSAY_STATIC)
    add_link_options(-static-libgcc)
endif()
