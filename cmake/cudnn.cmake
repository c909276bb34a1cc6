# SPDX-License-Identifier: Apache-2.0
#
# peers/cudnn: cuDNN as a linked-in kernel. It loads the library when it is asked for; nothing of cuDNN is needed to build.
file(GLOB cudnn_sources CONFIGURE_DEPENDS peers/cudnn/*.c)
add_library(peer_cudnn OBJECT ${cudnn_sources})
target_include_directories(peer_cudnn PRIVATE include kernels)
target_compile_definitions(peer_cudnn PRIVATE ASSAY_MODULE_SYMBOL=assay_module_cudnn)
target_link_libraries(peer_cudnn PRIVATE assay_flags)
target_sources(assay_core PRIVATE $<TARGET_OBJECTS:peer_cudnn>)
