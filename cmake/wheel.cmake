# What the wheel `muster-omp` holds. scikit-build-core sets SKBUILD, and SKBUILD_SCRIPTS_DIR for what ends up beside
# `python`; anything else is placed relative to site-packages. See docs/use/python.md.
install(TARGETS muster LIBRARY DESTINATION muster_omp/lib COMPONENT wheel)
# The binary itself, not a Python script that starts it: no interpreter has to start first.
install(TARGETS muster_launcher RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)

# Whoever installs from source has a compiler that we have not seen; its new warnings are not their business.
target_compile_options(muster_warnings INTERFACE -Wno-error)

# The SBOM of this very build, where PEP 770 wants it. Only Debian's packages are known (packaging/sbom.py), so a wheel
# that is built elsewhere has none.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(sbom ${CMAKE_BINARY_DIR}/muster.spdx.json)
install(CODE "
  file(REMOVE \"${sbom}\")
  execute_process(
    COMMAND \"${Python3_EXECUTABLE}\" \"${CMAKE_SOURCE_DIR}/packaging/sbom.py\" --build \"${CMAKE_BINARY_DIR}\"
      --output \"${sbom}\"
    RESULT_VARIABLE status ERROR_VARIABLE error ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(STATUS \"The wheel has no SBOM: \${error}\")
  endif()" COMPONENT wheel)
install(FILES ${sbom} DESTINATION ${SKBUILD_METADATA_DIR}/sboms COMPONENT wheel OPTIONAL)
