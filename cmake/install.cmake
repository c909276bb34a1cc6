# SPDX-License-Identifier: Apache-2.0
#
# What an installation holds besides the program: header, sources of shipped kernels with their manifest, documents, manual pages and
# completions, made by the program itself; and the Debian package (scripts/package.sh). Python's part: python_worker.cmake.
set(help_folder "${PROJECT_BINARY_DIR}/help")
if(NOT ASSAY_FUZZ)
    add_custom_command(OUTPUT "${help_folder}/_assay"
        COMMAND "${PROJECT_SOURCE_DIR}/scripts/help_pages.sh" "$<TARGET_FILE:assay>" "${help_folder}"
        DEPENDS assay scripts/help_pages.sh
        COMMENT "Manual pages and completions" VERBATIM)
    add_custom_target(help_pages ALL DEPENDS "${help_folder}/_assay")
    install(DIRECTORY "${help_folder}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
    install(FILES "${help_folder}/assay.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME assay)
    # Debian's zsh looks for a package's functions elsewhere than for an administrator's; the prefix is known when it is installed.
    install(CODE "set(assay_zsh_folder \"${CMAKE_INSTALL_DATADIR}/zsh/site-functions\")
        if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
            set(assay_zsh_folder \"${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions\")
        endif()
        file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${assay_zsh_folder}\" TYPE FILE FILES \"${help_folder}/_assay\")")
endif()

# All that an installation is made of, and no tests: what `make install` builds.
add_custom_target(installed)
foreach(part assay help_pages assay_worker)
    if(TARGET ${part})
        add_dependencies(installed ${part})
    endif()
endforeach()

install(FILES include/assay/kernel.h include/assay/kernel_supports.h include/assay/reference_single.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/assay")
install(FILES assay.yaml DESTINATION "${CMAKE_INSTALL_DATADIR}/assay")
install(DIRECTORY kernels DESTINATION "${CMAKE_INSTALL_DATADIR}/assay" FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.cu*")
install(DIRECTORY examples/proposers examples/referee DESTINATION "${CMAKE_INSTALL_DATADIR}/assay" USE_SOURCE_PERMISSIONS)
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DATADIR}/assay/docs"
    FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.png" PATTERN "*.svg")
install(FILES README.md SECURITY.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DATADIR}/assay") # pages of docs/ lead to them
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(ASSAY_STATIC) # code of others is in the program: its licences go along, where the distribution has them
    foreach(package IN ITEMS libyaml-dev nettle-dev libxxhash-dev libseccomp-dev libsqlite3-dev libzstd-dev)
        if(EXISTS "/usr/share/doc/${package}/copyright")
            install(FILES "/usr/share/doc/${package}/copyright" DESTINATION "${CMAKE_INSTALL_DOCDIR}/licences" RENAME "${package}.txt")
        endif()
    endforeach()
endif()

# ---- the package: the libraries that the program is linked to are found by dpkg-shlibdeps ----
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_CONTACT "assay <assay@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, libc6-dev, ninja-build, git") # kernels in C are compiled, baselines are revisions
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, libpq5, python3, valgrind")
include(CPack)
