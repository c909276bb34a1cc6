# SPDX-License-Identifier: Apache-2.0
#
# Required libraries (libyaml, nettle, xxhash) and optional parts. Optional parts that are missing, or that
# ASSAY_WITHOUT_OPTIONAL hides, are collected in ASSAY_LEFT_OUT with a note on what does not work without them.

find_package(PkgConfig QUIET)

# Makes the target assay::<name>. With ASSAY_STATIC the archive is linked.
function(assay_require name pkg_config_name header library debian_package)
    if(PkgConfig_FOUND)
        pkg_check_modules(PC_${name} QUIET ${pkg_config_name})
    endif()
    find_path(ASSAY_${name}_INCLUDE_DIR ${header} HINTS ${PC_${name}_INCLUDE_DIRS})
    if(ASSAY_STATIC)
        set(library_names lib${library}.a)
    else()
        set(library_names ${library})
    endif()
    find_library(ASSAY_${name}_LIBRARY NAMES ${library_names} HINTS ${PC_${name}_LIBRARY_DIRS})
    mark_as_advanced(ASSAY_${name}_INCLUDE_DIR ASSAY_${name}_LIBRARY)
    if(NOT ASSAY_${name}_INCLUDE_DIR OR NOT ASSAY_${name}_LIBRARY)
        message(FATAL_ERROR
            "${name} is needed and was not found (${header} and ${library_names}). "
            "On Debian: apt-get install ${debian_package}, or `make deps`.")
    endif()
    add_library(assay::${name} UNKNOWN IMPORTED)
    set_target_properties(assay::${name} PROPERTIES
        IMPORTED_LOCATION "${ASSAY_${name}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${ASSAY_${name}_INCLUDE_DIR}")
endfunction()

if(ASSAY_FUZZ) # mutates documents (tests/fuzz/json_mutate.c)
    assay_require(jansson jansson jansson.h jansson libjansson-dev)
endif()
assay_require(yaml yaml-0.1 yaml.h yaml libyaml-dev)
assay_require(nettle nettle nettle/sha2.h nettle nettle-dev)
assay_require(xxhash libxxhash xxhash.h xxhash libxxhash-dev)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

set(ASSAY_FOUND "")
set(ASSAY_LEFT_OUT "")
set(ASSAY_LEFT_OUT_NAMES "")

# Records one optional part: its name, whether it was found, what is missing without it.
macro(assay_note part is_found without_it)
    if(${is_found})
        list(APPEND ASSAY_FOUND "${part}")
    else()
        list(APPEND ASSAY_LEFT_OUT "${part} (${without_it})")
        list(APPEND ASSAY_LEFT_OUT_NAMES "${part}")
    endif()
endmacro()

# Sets ASSAY_NVCC_PATH if this nvcc compiles an empty file with the flags of the device kernels, else ASSAY_NVCC_WHY: once an
# nvcc is accepted, the build depends on it. -rdc=true keeps assay_device_kernels_version visible. No contraction of a*b+c:
# fills and comparisons give the host's bits, and the oracle calls fma explicitly.
set(nvcc_flags -rdc=true -std=c++17 -O3 --fmad=false -Werror all-warnings)
set(ASSAY_DEVICE_KERNELS_FLAGS -ptx -arch=compute_80 ${nvcc_flags})
set(ASSAY_CEILING_KERNELS_FLAGS_sm80 ${ASSAY_DEVICE_KERNELS_FLAGS})
set(ASSAY_CEILING_KERNELS_FLAGS_sm89 -ptx -arch=compute_89 ${nvcc_flags})
set(ASSAY_CEILING_KERNELS_FLAGS_sm90a -ptx -arch=compute_90a ${nvcc_flags})
function(assay_try_nvcc program)
    set(folder "${PROJECT_BINARY_DIR}/gen/try_nvcc")
    file(WRITE "${folder}/empty.cu" "")
    foreach(target IN ITEMS sm80 sm89 sm90a)
        execute_process(COMMAND "${program}" ${ASSAY_CEILING_KERNELS_FLAGS_${target}} -o "${folder}/empty.image" "${folder}/empty.cu"
            RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 120)
        if(NOT code EQUAL 0)
            string(REGEX REPLACE "\n.*" "" first_line "${output}")
            string(REPLACE ";" "," first_line "${first_line}")
            set(ASSAY_NVCC_WHY "${program} compiles nothing: ${first_line} (${code})" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    set(ASSAY_NVCC_PATH "${program}" PARENT_SCOPE)
endfunction()

set(ASSAY_CCACHE_PATH "")
set(ASSAY_NVCC_PATH "")
set(ASSAY_NVCC_WHY "no GPU is measured, no CUDA kernels are compiled")
set(ASSAY_HAS_SECCOMP 0)
set(ASSAY_HAS_STORE 0)
set(ASSAY_HAS_LIBPQ 0)
set(ASSAY_HAS_SERVE 0)
set(ASSAY_HAS_PYTHON OFF)

if(NOT ASSAY_WITHOUT_OPTIONAL)
    if(PkgConfig_FOUND)
        pkg_check_modules(PC_seccomp QUIET libseccomp>=2.5) # what a kernel's process may do (src/worker/host)
    endif()
    if(ASSAY_STATIC)
        find_library(ASSAY_seccomp_LIBRARY NAMES libseccomp.a HINTS ${PC_seccomp_LIBRARY_DIRS})
    else()
        find_library(ASSAY_seccomp_LIBRARY NAMES seccomp HINTS ${PC_seccomp_LIBRARY_DIRS})
    endif()
    find_path(ASSAY_seccomp_INCLUDE_DIR seccomp.h HINTS ${PC_seccomp_INCLUDE_DIRS})
    mark_as_advanced(ASSAY_seccomp_LIBRARY ASSAY_seccomp_INCLUDE_DIR)
    if(PC_seccomp_FOUND AND ASSAY_seccomp_LIBRARY AND ASSAY_seccomp_INCLUDE_DIR)
        set(ASSAY_HAS_SECCOMP 1)
        add_library(assay::seccomp UNKNOWN IMPORTED)
        set_target_properties(assay::seccomp PROPERTIES
            IMPORTED_LOCATION "${ASSAY_seccomp_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${ASSAY_seccomp_INCLUDE_DIR}")
    endif()
    # The store (src/store): both libraries, or none.
    if(ASSAY_STATIC)
        set(store_names NAMES libsqlite3.a)
        set(zstd_names NAMES libzstd.a)
    else()
        set(store_names NAMES sqlite3)
        set(zstd_names NAMES zstd)
    endif()
    find_library(ASSAY_sqlite3_LIBRARY ${store_names})
    find_library(ASSAY_zstd_LIBRARY ${zstd_names})
    find_path(ASSAY_sqlite3_INCLUDE_DIR sqlite3.h)
    find_path(ASSAY_zstd_INCLUDE_DIR zstd.h)
    mark_as_advanced(ASSAY_sqlite3_LIBRARY ASSAY_zstd_LIBRARY ASSAY_sqlite3_INCLUDE_DIR ASSAY_zstd_INCLUDE_DIR)
    if(ASSAY_sqlite3_LIBRARY AND ASSAY_zstd_LIBRARY AND ASSAY_sqlite3_INCLUDE_DIR AND ASSAY_zstd_INCLUDE_DIR)
        set(ASSAY_HAS_STORE 1)
        add_library(assay::sqlite3 UNKNOWN IMPORTED) # the archive does not say what it needs; that has to follow it
        set_target_properties(assay::sqlite3 PROPERTIES
            IMPORTED_LOCATION "${ASSAY_sqlite3_LIBRARY}"
            INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
    endif()
    # The server (src/serve): both libraries and a store, or none. A static libmicrohttpd would bring GnuTLS along.
    find_library(ASSAY_microhttpd_LIBRARY NAMES microhttpd)
    find_library(ASSAY_sodium_LIBRARY NAMES sodium)
    find_path(ASSAY_microhttpd_INCLUDE_DIR microhttpd.h)
    find_path(ASSAY_sodium_INCLUDE_DIR sodium.h)
    mark_as_advanced(ASSAY_microhttpd_LIBRARY ASSAY_sodium_LIBRARY ASSAY_microhttpd_INCLUDE_DIR ASSAY_sodium_INCLUDE_DIR)
    if(ASSAY_HAS_STORE AND NOT ASSAY_STATIC AND ASSAY_microhttpd_LIBRARY AND ASSAY_sodium_LIBRARY AND ASSAY_microhttpd_INCLUDE_DIR
            AND ASSAY_sodium_INCLUDE_DIR)
        set(ASSAY_HAS_SERVE 1)
    endif()
    find_program(ASSAY_CCACHE_PROGRAM ccache)
    find_program(ASSAY_NVCC_PROGRAM nvcc HINTS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin)
    find_program(ASSAY_PYTHON_PROGRAM python3)
    find_path(ASSAY_CUPTI_INCLUDE_DIR cupti_range_profiler.h HINTS "$ENV{CUDA_HOME}/include" /usr/local/cuda/include
        /usr/local/cuda/extras/CUPTI/include) # a test compares our declarations with it
    find_path(ASSAY_LIBPQ_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
    mark_as_advanced(ASSAY_CCACHE_PROGRAM ASSAY_NVCC_PROGRAM ASSAY_PYTHON_PROGRAM ASSAY_CUPTI_INCLUDE_DIR ASSAY_LIBPQ_INCLUDE_DIR)
    if(ASSAY_CCACHE_PROGRAM)
        set(ASSAY_CCACHE_PATH "${ASSAY_CCACHE_PROGRAM}")
        set(CMAKE_C_COMPILER_LAUNCHER "${ASSAY_CCACHE_PROGRAM}")
    endif()
    if(NOT ASSAY_CUDA)
        set(ASSAY_NVCC_WHY "ASSAY_CUDA is off")
    elseif(ASSAY_NVCC_PROGRAM)
        assay_try_nvcc("${ASSAY_NVCC_PROGRAM}")
    endif()
    if(ASSAY_PYTHON_PROGRAM)
        set(ASSAY_HAS_PYTHON ON)
    endif()
    if(ASSAY_LIBPQ_INCLUDE_DIR AND ASSAY_HAS_STORE) # the header is enough: src/store/libpq.c loads the library
        set(ASSAY_HAS_LIBPQ 1)
    endif()
endif()

find_path(ASSAY_CMOCKA_INCLUDE_DIR cmocka.h)
find_library(ASSAY_CMOCKA_LIBRARY cmocka)
mark_as_advanced(ASSAY_CMOCKA_INCLUDE_DIR ASSAY_CMOCKA_LIBRARY)
set(ASSAY_HAS_CMOCKA OFF)
if(ASSAY_CMOCKA_INCLUDE_DIR AND ASSAY_CMOCKA_LIBRARY)
    set(ASSAY_HAS_CMOCKA ON)
endif()

assay_note("cmocka" ASSAY_HAS_CMOCKA "no unit tests")
assay_note("libseccomp" ASSAY_HAS_SECCOMP "kernels run without a filter of system calls: --isolation none only")
assay_note("SQLite and zstd" ASSAY_HAS_STORE "no history of runs")
assay_note("ccache" ASSAY_CCACHE_PATH "builds repeat work")
assay_note("CUDA toolkit" ASSAY_NVCC_PATH "${ASSAY_NVCC_WHY}")
assay_note("libmicrohttpd and libsodium" ASSAY_HAS_SERVE "no assay serve")
assay_note("libpq" ASSAY_HAS_LIBPQ "no history in PostgreSQL")
assay_note("python3" ASSAY_HAS_PYTHON "no Python kernels, no schema test")
list(JOIN ASSAY_LEFT_OUT_NAMES ", " ASSAY_LEFT_OUT_TEXT)
