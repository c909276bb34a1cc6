# SPDX-License-Identifier: Apache-2.0
#
# Device kernels of the harness and of the operators: src/device/device_kernels.cu, which includes every
# src/op/*/device_<operator>.cuh, becomes PTX (any GPU from sm_80 on; the driver makes it machine code)
# and part of assay_core through src/device/device_kernel_text.c. Without nvcc that file is empty, and the cuda backend says so. The flags
# (ASSAY_DEVICE_KERNELS_FLAGS) are those with which cmake/dependencies.cmake tested nvcc.

# gen/operator_device_kernels.cuh and gen/operator_device_host.h: one line an operator that has device kernels.
file(GLOB operator_kernels CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src" src/op/*/device_*.cuh)
set(kernel_lines)
set(host_lines)
foreach(path IN LISTS operator_kernels)
    string(REGEX REPLACE "^.*/device_(.*)[.]cuh$" "\\1" name "${path}")
    string(APPEND kernel_lines "#include \"${path}\"\n")
    string(APPEND host_lines "DEV_HOST_OPERATOR(${name})\n")
endforeach()
file(CONFIGURE OUTPUT gen/operator_device_kernels.cuh CONTENT "${kernel_lines}")
file(CONFIGURE OUTPUT gen/operator_device_host.h CONTENT "${host_lines}")

if(ASSAY_NVCC_PATH)
    file(GLOB dev_sources CONFIGURE_DEPENDS src/device/*.h src/device/*.cu src/device/*.cuh src/op/*/device_*)
    # Hosts (src/worker/host/) get the few kernels that time and launch, processes of references what fills inputs: the driver
    # compiles them anew in every process, and all of them take seconds.
    set(kernels_of "<operator_device_kernels.cuh>")
    set(kernels_of_for_hosts)
    set(kernels_of_for_fills "<op/declared/device_declared.cuh>")
    foreach(part IN ITEMS "" _for_hosts _for_fills)
        set(ptx "${PROJECT_BINARY_DIR}/gen/device_kernels${part}.ptx")
        set(definition)
        if(kernels_of${part})
            set(definition "-DDEVICE_KERNELS_OF_OPERATORS=${kernels_of${part}}")
        endif()
        add_custom_command(OUTPUT "${ptx}"
            COMMAND "${ASSAY_NVCC_PATH}" ${ASSAY_DEVICE_KERNELS_FLAGS} ${definition}
                -I "${PROJECT_SOURCE_DIR}/src" -I "${PROJECT_SOURCE_DIR}/include" -I "${PROJECT_BINARY_DIR}/gen"
                -o "${ptx}" "${PROJECT_SOURCE_DIR}/src/device/device_kernels.cu"
            DEPENDS ${dev_sources} include/assay/kernel.h
            COMMENT "Compiling the device kernels (PTX${part})"
            VERBATIM)
        list(APPEND ptx_files "${ptx}")
    endforeach()
    list(GET ptx_files 0 ASSAY_DEVICE_KERNELS_PTX)
    list(GET ptx_files 1 hosts_ptx)
    list(GET ptx_files 2 fills_ptx)
    # The kernels that measure ceilings, for each target whose widest matrix instruction another one lacks. They include kernels/common.
    file(GLOB matrix_headers CONFIGURE_DEPENDS kernels/common/*.cuh)
    set(ceiling_files)
    foreach(target IN ITEMS sm80 sm89 sm90a)
        set(image "${PROJECT_BINARY_DIR}/gen/ceiling_kernels_${target}.image")
        add_custom_command(OUTPUT "${image}"
            COMMAND "${ASSAY_NVCC_PATH}" ${ASSAY_CEILING_KERNELS_FLAGS_${target}}
                -I "${PROJECT_SOURCE_DIR}/src" -I "${PROJECT_SOURCE_DIR}/include" -I "${PROJECT_SOURCE_DIR}/kernels"
                -o "${image}" "${PROJECT_SOURCE_DIR}/src/device/ceiling_kernels.cu"
            DEPENDS ${dev_sources} ${matrix_headers} include/assay/kernel.h
            COMMENT "Compiling the kernels that measure ceilings (${target})"
            VERBATIM)
        list(APPEND ceiling_files "${image}")
        string(TOUPPER "${target}" upper)
        list(APPEND ceiling_definitions "ASSAY_CEILING_KERNELS_${upper}_FILE=\"${image}\"")
    endforeach()
    set_source_files_properties(src/device/device_kernel_text.c PROPERTIES
        COMPILE_DEFINITIONS "ASSAY_DEVICE_KERNELS_PTX_FILE=\"${ASSAY_DEVICE_KERNELS_PTX}\";ASSAY_DEVICE_KERNELS_FOR_HOSTS_PTX_FILE=\"${hosts_ptx}\";ASSAY_DEVICE_KERNELS_FOR_FILLS_PTX_FILE=\"${fills_ptx}\";${ceiling_definitions}"
        OBJECT_DEPENDS "${ptx_files};${ceiling_files}")
endif()

# The same device kernels as C, for the fake driver and for tests.
file(GLOB dev_host_sources CONFIGURE_DEPENDS tests/fakes/device_host*.c)
file(GLOB dev_tests CONFIGURE_DEPENDS tests/unit/test_device_*.c tests/unit/test_check_device*.c)
foreach(source IN LISTS dev_tests)
    get_filename_component(name "${source}" NAME_WE)
    set(${name}_sources ${dev_host_sources})
endforeach()

# Compare all device kernels with the host's functions on a GPU; built with the tests, run by bench/h200.sh.
foreach(check IN ITEMS device_check ceiling_check)
    add_executable(${check} tests/device/${check}.c ${dev_host_sources})
    target_link_libraries(${check} PRIVATE assay_flags assay_core)
    target_include_directories(${check} PRIVATE tests)
    set_target_properties(${check} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
endforeach()
# What the tests' fake driver does in seconds.
add_test(NAME unit/device_check COMMAND device_check cuda:0 kernels declared)
set_tests_properties(unit/device_check PROPERTIES LABELS unit TIMEOUT 120 ENVIRONMENT
    "ASSAY_CUDA_DRIVER=${PROJECT_BINARY_DIR}/tests/fakes/libfake_cuda.so;ASSAY_FAKE_CUDA=l2_kib=64")
