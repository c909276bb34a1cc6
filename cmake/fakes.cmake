# SPDX-License-Identifier: Apache-2.0
#
# Libraries that stand in for those of NVIDIA in tests: build/<preset>/tests/fakes/lib<name>.so. Tests find them through
# ASSAY_FAKES_DIR, programs through ASSAY_CUDA_DRIVER, ASSAY_NVML and ASSAY_CUDNN. See tests/fakes/README.md.
set(ASSAY_FAKES_DIR "${PROJECT_BINARY_DIR}/tests/fakes")

function(assay_add_fake name)
    add_library(${name} MODULE ${ARGN})
    target_link_libraries(${name} PRIVATE assay_flags)
    target_include_directories(${name} PRIVATE src include kernels tests/fakes)
    target_compile_options(${name} PRIVATE -fvisibility=hidden -Wno-missing-prototypes) # the names are NVIDIA's
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${ASSAY_FAKES_DIR}")
endfunction()

assay_add_fake(fake_cudnn tests/fakes/fake_cudnn.c)
