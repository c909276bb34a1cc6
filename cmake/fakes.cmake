# SPDX-License-Identifier: Apache-2.0
#
# Libraries that stand in for those of NVIDIA in tests: build/<preset>/tests/fakes/lib<name>.so. Tests find them through
# ASSAY_FAKES_DIR, programs through ASSAY_CUDA_DRIVER, ASSAY_NVML, ASSAY_CUDNN and ASSAY_CUPTI. See tests/fakes/README.md.
set(ASSAY_FAKES_DIR "${PROJECT_BINARY_DIR}/tests/fakes")

function(assay_add_fake name)
    add_library(${name} MODULE ${ARGN})
    target_link_libraries(${name} PRIVATE assay_flags)
    target_include_directories(${name} PRIVATE src include kernels tests tests/fakes "${PROJECT_BINARY_DIR}/gen")
    target_compile_options(${name} PRIVATE -fvisibility=hidden -Wno-missing-prototypes) # the names are NVIDIA's
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${ASSAY_FAKES_DIR}")
endfunction()

assay_add_fake(fake_cudnn tests/fakes/fake_cudnn.c)
assay_add_fake(fake_cupti tests/fakes/fake_cupti.c)
assay_add_fake(fake_nvml tests/fakes/fake_nvml.c)
assay_add_fake(fake_nvml_old tests/fakes/fake_nvml.c)
target_compile_definitions(fake_nvml_old PRIVATE FAKE_NVML_OLD) # without the newer drivers' calls

set(fake_cuda_sources ${dev_host_sources})
foreach(part IN ITEMS "" _memory _shared _stream _launch)
    list(APPEND fake_cuda_sources tests/fakes/fake_cuda${part}.c)
endforeach()
assay_add_fake(fake_cuda ${fake_cuda_sources})
target_link_libraries(fake_cuda PRIVATE m)
assay_add_fake(fake_cuda_lacking ${fake_cuda_sources})
target_link_libraries(fake_cuda_lacking PRIVATE m)
target_compile_definitions(fake_cuda_lacking PRIVATE cuGraphUpload=cuGraphUploadMissing) # a driver that lacks one function
foreach(name IN ITEMS fake_cuda_attention fake_cuda_honest)
    assay_add_fake(${name} tests/fakes/fake_cuda_attention.c $<TARGET_OBJECTS:kernel_naive>)
    target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS} m)
endforeach()
target_compile_definitions(fake_cuda_honest PRIVATE FAKE_HONEST) # whatever ASSAY_FAKE_ATTENTION says: the other side of a gate
