# SPDX-License-Identifier: Apache-2.0
#
# One executable a file: tests/unit/test_*.c (label unit) and tests/stats/test_*.c (label stats), each runnable by hand:
# build/default/tests/test_<file>. A file with test_<file>_cells below is one test a cell, by argument, so that ctest -j
# spreads them. Fuzz targets (tests/fuzz/fuzz_*.c) are built with the plain replay main and run over
# their corpus; with ASSAY_FUZZ libFuzzer's main takes its place (scripts/fuzz.sh runs them).

function(assay_add_test source label)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(${name} "${source}" ${ARGN})
    target_link_libraries(${name} PRIVATE assay_flags assay_core "${ASSAY_CMOCKA_LIBRARY}")
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${ASSAY_CMOCKA_INCLUDE_DIR}")
    target_compile_definitions(${name} PRIVATE
        ASSAY_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden"
        ASSAY_FAKES_DIR="${PROJECT_BINARY_DIR}/tests/fakes"
        ASSAY_BINARY="${PROJECT_BINARY_DIR}/assay")
    # The generated header names the tree too; tests that do not include it get the same value.
    target_compile_definitions(${name} PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    if(ASSAY_SANITIZE AND NOT ASSAY_FUZZ)
        target_compile_options(${name} PRIVATE -O0) # clang takes a third of the time; what runs long is the core
    endif()
endfunction()

set(stats_sources "${PROJECT_SOURCE_DIR}/tests/stats/simulate.c" "${PROJECT_SOURCE_DIR}/tests/stats/mutants.c")
set(unit_timeout 300)
set(test_unchanged_cells cv1_spread1 cv1_spread2 cv7_spread1 cv7_spread2 cv1_spread3
    cv1_spread4 cv1_spread5 cv1_spread7 cv1_spread10)
set(stats_timeout 900) # up to 150 s on an idle core, and machines are busy
set_property(SOURCE "${PROJECT_SOURCE_DIR}/tests/unit/test_kernel_fa_hopper_heuristics.c" # headers of kernels, which have others
    "${PROJECT_SOURCE_DIR}/tests/unit/test_kernel_fa_choice.c"
    "${PROJECT_SOURCE_DIR}/tests/unit/test_kernel_gemm_plan.c"
    "${PROJECT_SOURCE_DIR}/tests/unit/test_kernel_row_math.c" PROPERTY INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/kernels")
if(ASSAY_CUPTI_INCLUDE_DIR AND ASSAY_NVCC_PROGRAM)
    # Two of CUPTI's C headers include a header of C++ that they do not need.
    file(WRITE "${PROJECT_BINARY_DIR}/gen/cupti/string" "")
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/tests/unit/test_cupti_layout.c" PROPERTY COMPILE_OPTIONS
        -DASSAY_CUPTI_HEADERS -isystem "${PROJECT_BINARY_DIR}/gen/cupti" -isystem "${ASSAY_CUPTI_INCLUDE_DIR}")
endif()
set(labels unit stats)
if(ASSAY_SANITIZE)
    set(labels unit) # trials take no other paths
endif()
foreach(label IN LISTS labels)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${label}/test_*.c")
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        assay_add_test("${source}" ${label} ${${label}_sources} ${${name}_sources})
        set(runs ${name})
        if(DEFINED ${name}_cells)
            list(TRANSFORM ${name}_cells PREPEND "${name}_" OUTPUT_VARIABLE runs)
        endif()
        foreach(run IN LISTS runs)
            string(REGEX REPLACE "^${name}_?" "" cell "${run}")
            add_test(NAME ${label}/${run} COMMAND ${name} ${cell} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
            set_tests_properties(${label}/${run} PROPERTIES LABELS ${label} TIMEOUT ${${label}_timeout})
        endforeach()
    endforeach()
endforeach()

# The store's tests once more, on a server of their own.
if(ASSAY_HAS_LIBPQ)
    foreach(name IN ITEMS test_store test_store_changes test_store_profile test_store_tuning test_store_writers)
        add_test(NAME unit/${name}_postgres
            COMMAND "${PROJECT_SOURCE_DIR}/tests/postgres.sh" "$<TARGET_FILE:${name}>" WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
        set_tests_properties(unit/${name}_postgres PROPERTIES LABELS unit TIMEOUT ${unit_timeout} SKIP_RETURN_CODE 77)
    endforeach()
endif()

file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c")
set(replay_main "${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.c")
set(fuzz_option_sources "${PROJECT_SOURCE_DIR}/src/control/cmd/option.c") # cmd/ is not in the core
if(ASSAY_FUZZ)
    add_custom_target(fuzz_targets)
    foreach(name IN ITEMS bisect calibration compare format integrated notify_memory page plan profile_document record result tune_record work_order)
        list(APPEND fuzz_${name}_sources "${PROJECT_SOURCE_DIR}/tests/fuzz/json_mutate.c")
        set(fuzz_${name}_libraries assay::jansson)
    endforeach()
    foreach(source IN LISTS fuzz_sources)
        get_filename_component(name "${source}" NAME_WE)
        assay_add_test("${source}" fuzz ${${name}_sources})
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        target_link_libraries(${name} PRIVATE ${${name}_libraries})
        add_dependencies(fuzz_targets ${name})
    endforeach()
elseif(EXISTS "${replay_main}")
    foreach(source IN LISTS fuzz_sources)
        get_filename_component(name "${source}" NAME_WE)
        assay_add_test("${source}" fuzz "${replay_main}" ${${name}_sources})
        string(REGEX REPLACE "^fuzz_" "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/" corpus "${name}")
        file(GLOB inputs CONFIGURE_DEPENDS "${corpus}/*")
        if(NOT inputs)
            message(WARNING "fuzz target ${name} has no corpus in ${corpus}: it is built and not run")
            continue()
        endif()
        add_test(NAME fuzz/${name} COMMAND ${name} "${corpus}")
        set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT 300)
    endforeach()
endif()

# Kernels that are wrong on purpose; bench/h200.sh runs them on a GPU. Here they are only compiled, or skipped without nvcc.
add_test(NAME cuda/broken_compile
    COMMAND "${PROJECT_SOURCE_DIR}/tests/broken_cuda/build.sh" "${PROJECT_BINARY_DIR}/tests/broken_cuda")
set_tests_properties(cuda/broken_compile PROPERTIES LABELS cuda TIMEOUT 600 SKIP_RETURN_CODE 77)

# Begun first, so that none of them runs alone at the end.
set(first unit/test_broken unit/test_build_cuda unit/test_calibration_study unit/test_host_process unit/test_worker_sim
    unit/test_exec_executor unit/test_build_variant cuda/broken_compile)
if(NOT ASSAY_SANITIZE)
    list(APPEND first stats/test_slowdowns stats/test_noise_models)
endif()
set_tests_properties(${first} PROPERTIES COST 1000)
