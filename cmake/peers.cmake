# SPDX-License-Identifier: Apache-2.0
#
# peers/<name>/: linked-in kernels that call another library, one folder each. The library is loaded on first use; nothing of it
# is needed to build. It defines assay_module_<name> and <name>_find_library (src/worker/module/builtin.c), and its operator lists
# it as a peer. Peers in Python are files of peers/ itself.
file(GLOB peer_sources CONFIGURE_DEPENDS peers/*/*.c)
foreach(source IN LISTS peer_sources)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(name "${folder}" NAME)
    if(NOT TARGET peer_${name})
        string(APPEND builtin_lines "BUILTIN_PEER(${name})\n")
        add_library(peer_${name} OBJECT)
        target_include_directories(peer_${name} PRIVATE include kernels)
        target_compile_definitions(peer_${name} PRIVATE ASSAY_MODULE_SYMBOL=assay_module_${name})
        target_link_libraries(peer_${name} PRIVATE assay_flags)
        target_sources(assay_core PRIVATE $<TARGET_OBJECTS:peer_${name}>)
    endif()
    target_sources(peer_${name} PRIVATE "${source}")
endforeach()
