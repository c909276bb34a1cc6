# SPDX-License-Identifier: Apache-2.0
#
# libassay_worker.so: the worker's side of assay for a Python interpreter (peers/assay_bridge.py loads it), and the Python
# sources in peers/. The library is the same code as the program; nothing of Python is needed to build it. Builds
# with sanitizers leave it out: an interpreter without them cannot load it.

file(RELATIVE_PATH ASSAY_RELATIVE_LIBDIR "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_property(SOURCE src/control/exec/python_program.c APPEND PROPERTY COMPILE_DEFINITIONS
    ASSAY_INSTALL_LIBDIR_RELATIVE="${ASSAY_RELATIVE_LIBDIR}")

set(has_python_worker ON)
if(ASSAY_SANITIZE OR ASSAY_FUZZ)
    set(has_python_worker OFF)
    set(without_python_worker "an interpreter cannot load one with sanitizers")
elseif(ASSAY_STATIC)
    # The distribution's archives are not compiled with -fPIC: the libraries that a worker needs are linked dynamically.
    find_library(ASSAY_nettle_SHARED NAMES libnettle.so libnettle.so.8)
    find_library(ASSAY_xxhash_SHARED NAMES libxxhash.so libxxhash.so.0)
    set(seccomp_shared "")
    if(ASSAY_HAS_SECCOMP)
        find_library(ASSAY_seccomp_SHARED NAMES libseccomp.so libseccomp.so.2)
        set(seccomp_shared "${ASSAY_seccomp_SHARED}")
    endif()
    mark_as_advanced(ASSAY_nettle_SHARED ASSAY_xxhash_SHARED ASSAY_seccomp_SHARED)
    if(NOT ASSAY_nettle_SHARED OR NOT ASSAY_xxhash_SHARED OR (ASSAY_HAS_SECCOMP AND NOT seccomp_shared))
        set(has_python_worker OFF)
        set(without_python_worker "libnettle.so, libxxhash.so or libseccomp.so is missing")
        message(STATUS "no libassay_worker.so: ${without_python_worker}")
    endif()
endif()

if(has_python_worker)
    set(worker_map "${PROJECT_SOURCE_DIR}/cmake/python_worker.map")
    file(WRITE "${PROJECT_BINARY_DIR}/gen/python_worker_empty.c" "typedef int assay_python_worker_empty;\n")
    add_library(assay_worker SHARED "${PROJECT_BINARY_DIR}/gen/python_worker_empty.c")
    if(ASSAY_STATIC)
        add_dependencies(assay_worker assay_core)
        target_link_libraries(assay_worker PRIVATE assay_flags "$<TARGET_FILE:assay_core>" "${ASSAY_nettle_SHARED}"
            "${ASSAY_xxhash_SHARED}" ${seccomp_shared} Threads::Threads ${CMAKE_DL_LIBS} m)
        # They are installed in a folder of their own, since the system may have none, or others.
        set_target_properties(assay_worker PROPERTIES INSTALL_RPATH "\$ORIGIN/assay")
    else()
        target_link_libraries(assay_worker PRIVATE assay_flags assay_core)
    endif()
    target_link_options(assay_worker PRIVATE
        "LINKER:--undefined=assay_python_worker_main" "LINKER:--undefined=assay_python_host_main"
        "LINKER:--undefined=assay_python_confine" "LINKER:--undefined=assay_python_fill" "LINKER:--undefined=assay_python_fork_enter"
        "LINKER:--version-script=${worker_map}" "LINKER:--no-undefined")
    set_target_properties(assay_worker PROPERTIES LINK_DEPENDS "${worker_map}"
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    if(ASSAY_STATIC)
        install(TARGETS assay_worker RUNTIME_DEPENDENCY_SET worker_libraries LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
        install(RUNTIME_DEPENDENCY_SET worker_libraries PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread))[.]so"
            LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/assay")
    else()
        install(TARGETS assay_worker LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    endif()
endif()

# Tests read this file to see whether there is one.
set(worker_word "no: ${without_python_worker}")
if(has_python_worker)
    set(worker_word "yes")
endif()
file(WRITE "${PROJECT_BINARY_DIR}/gen/python_worker.txt" "${worker_word}\n")

foreach(folder IN ITEMS peers examples)
    file(GLOB python_sources CONFIGURE_DEPENDS ${folder}/*.py)
    install(FILES ${python_sources} DESTINATION "${CMAKE_INSTALL_DATADIR}/assay/${folder}")
endforeach()
