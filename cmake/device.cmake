# SPDX-License-Identifier: Apache-2.0
#
# Our helpers on a GPU: src/device/helpers.cu becomes PTX (any GPU from sm_80 on; the driver makes it machine code) and part of
# assay_core through src/device/helper_text.c. Without nvcc that file is empty, and the cuda backend says so. The flags
# (ASSAY_HELPER_FLAGS) are those that nvcc was tried with.

if(ASSAY_NVCC_PATH)
    file(GLOB helper_sources CONFIGURE_DEPENDS src/device/*.h src/device/*.cu src/device/*.cuh)
    set(ASSAY_HELPERS_PTX "${PROJECT_BINARY_DIR}/gen/helpers.ptx")
    add_custom_command(OUTPUT "${ASSAY_HELPERS_PTX}"
        COMMAND "${ASSAY_NVCC_PATH}" ${ASSAY_HELPER_FLAGS}
            -I "${PROJECT_SOURCE_DIR}/src" -I "${PROJECT_SOURCE_DIR}/include"
            -o "${ASSAY_HELPERS_PTX}" "${PROJECT_SOURCE_DIR}/src/device/helpers.cu"
        DEPENDS ${helper_sources} include/assay/kernel.h
        COMMENT "Compiling the helpers for the GPU (PTX)"
        VERBATIM)
    set_source_files_properties(src/device/helper_text.c PROPERTIES
        COMPILE_DEFINITIONS "ASSAY_HELPERS_PTX_FILE=\"${ASSAY_HELPERS_PTX}\""
        OBJECT_DEPENDS "${ASSAY_HELPERS_PTX}")
endif()

# The same helpers as C, for the fake driver and for tests.
file(GLOB helper_host_sources CONFIGURE_DEPENDS tests/fakes/helper_host*.c)
foreach(name IN ITEMS device_helpers device_attention check_device device_desk)
    set(test_${name}_sources ${helper_host_sources})
endforeach()

# Holds all of it against the host on a machine with a GPU; built with the tests, and run by bench/h200.sh.
add_executable(device_check tests/device/device_check.c ${helper_host_sources})
target_link_libraries(device_check PRIVATE assay_flags assay_core)
target_include_directories(device_check PRIVATE tests)
set_target_properties(device_check PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
