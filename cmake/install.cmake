# What `cmake --install` places beside the library and the command: documents, licences, the pkg-config file, the CMake
# package, and the tools with a prefix before their names. manual.cmake installs the man pages and completions.
# Components: Unspecified (what a user needs), tools, debug (symbols; only if asked for).
include(CMakePackageConfigHelpers)
set(MUSTER_TOOL_PREFIX "muster-" CACHE STRING "What the names of installed tools begin with")

install(FILES README.md CHANGELOG.md SECURITY.md CITATION.cff LICENSE packaging/THIRD-PARTY-NOTICES
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN data EXCLUDE PATTERN notes EXCLUDE)
# From packaging/sbom.py, if that has run.
install(FILES ${CMAKE_BINARY_DIR}/muster.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(package ${CMAKE_CURRENT_SOURCE_DIR}/cmake/package)
set(made ${CMAKE_CURRENT_BINARY_DIR}/package)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
configure_file(${package}/muster.pc.in ${made}/muster.pc @ONLY)
install(FILES ${made}/muster.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(${package}/muster-config.cmake.in ${made}/muster-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${made}/muster-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${made}/muster-config.cmake ${made}/muster-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster)

# Tools that have been built. The programs for libgomp are those whose names end in -gomp.
foreach(tool gang smp cluster coherence model pair_overheads)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/${tool} DESTINATION ${CMAKE_INSTALL_BINDIR}
    RENAME ${MUSTER_TOOL_PREFIX}${tool} COMPONENT tools OPTIONAL)
endforeach()
foreach(tool barrier barrier-gomp "burner" linetransfer parallel_for parallel_for-gomp stream-clustering
             stream-clustering-gomp syncbench syncbench-gomp test-yield)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/${tool} DESTINATION ${CMAKE_INSTALL_BINDIR}
    RENAME ${MUSTER_TOOL_PREFIX}${tool} COMPONENT tools OPTIONAL)
endforeach()
# A script that finds its modules two folders above the place that the link leads to.
set(scripts ${CMAKE_INSTALL_DATADIR}/muster)
install(PROGRAMS campaigns/trace.py DESTINATION ${scripts}/campaigns COMPONENT tools)
install(FILES campaigns/sched_recording.py campaigns/sched_trace.py DESTINATION ${scripts}/campaigns COMPONENT tools)
install(DIRECTORY lab DESTINATION ${scripts} COMPONENT tools FILES_MATCHING PATTERN "*.py")
file(RELATIVE_PATH scripts_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/muster)
set(link ${CMAKE_CURRENT_BINARY_DIR}/package/${MUSTER_TOOL_PREFIX}trace)
file(CREATE_LINK ${scripts_from_bin}/campaigns/trace.py ${link} SYMBOLIC)
install(FILES ${link} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)

# Debug symbols apart, where gdb looks for them by build id.
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/debug/.build-id\")
  foreach(file $<TARGET_FILE:muster> $<TARGET_FILE:muster_launcher>)
    execute_process(COMMAND ${CMAKE_READELF} --notes \${file} OUTPUT_VARIABLE notes)
    if(NOT notes MATCHES \"Build ID: (..)([0-9a-f]+)\")
      message(FATAL_ERROR \"\${file} has no build id: link it with --build-id\")
    endif()
    set(symbols \${folder}/\${CMAKE_MATCH_1}/\${CMAKE_MATCH_2}.debug)
    message(STATUS \"Installing: \${symbols}\")
    file(MAKE_DIRECTORY \${folder}/\${CMAKE_MATCH_1})
    execute_process(COMMAND ${CMAKE_OBJCOPY} --only-keep-debug --compress-debug-sections \${file} \${symbols}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()" COMPONENT debug EXCLUDE_FROM_ALL)

# cpack: an archive that runs from any folder, and one with the debug symbols to be unpacked over it.
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VENDOR "The Muster developers")
string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} system)
set(CPACK_PACKAGE_FILE_NAME muster-${PROJECT_VERSION}-${system})
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL Unspecified debug)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_ARCHIVE_UNSPECIFIED_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
set(CPACK_ARCHIVE_DEBUG_FILE_NAME ${CPACK_PACKAGE_FILE_NAME}-debug)
set(CPACK_PACKAGE_CHECKSUM SHA256)
include(CPack)
