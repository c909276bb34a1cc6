# SPDX-License-Identifier: Apache-2.0
#
# lib/cmake/assay, by which other projects find what is installed (docs/kernel-tools.md): assayConfig.cmake and its version. Paths in
# it are relative, so that the tree can be moved.
include(CMakePackageConfigHelpers)
set(assay_package lib/cmake/assay) # without the name of a machine, since nothing in it depends on one
configure_package_config_file(cmake/assayConfig.cmake.in gen/assayConfig.cmake INSTALL_DESTINATION "${assay_package}"
    PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gen/assayConfigVersion.cmake" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/gen/assayConfig.cmake" "${PROJECT_BINARY_DIR}/gen/assayConfigVersion.cmake"
    DESTINATION "${assay_package}")
install(DIRECTORY examples/cpp_extension examples/pybind11 examples/tools DESTINATION "${CMAKE_INSTALL_DATADIR}/assay/examples"
    FILES_MATCHING PATTERN "*.py" PATTERN "*.[ch]" PATTERN "*.cpp" PATTERN "*.yaml" PATTERN "*.md" PATTERN "CMakeLists.txt")
