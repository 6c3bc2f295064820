# What the wheel `muster-omp` holds. scikit-build-core sets SKBUILD, and SKBUILD_SCRIPTS_DIR for what ends up beside
# `python`; anything else is placed relative to site-packages. See docs/use/python.md.
install(TARGETS muster LIBRARY DESTINATION muster_omp/lib COMPONENT wheel)
# The binary itself, not a Python script that starts it: no interpreter has to start first.
install(TARGETS muster_launcher RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)

# A wheel goes to machines that have not got what it was built with. So the command brings libelf and the C++ library
# with it, where there are archives of them.
target_link_options(muster_launcher PRIVATE -static-libstdc++ -static-libgcc)
find_library(MUSTER_LIBELF_ARCHIVE libelf.a)
find_library(MUSTER_LIBZ_ARCHIVE libz.a)
if(MUSTER_LIBELF_ARCHIVE AND MUSTER_LIBZ_ARCHIVE)
  get_target_property(libraries muster_launcher_code INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM libraries REPLACE "^${MUSTER_LIBELF}$" "${MUSTER_LIBELF_ARCHIVE};${MUSTER_LIBZ_ARCHIVE}")
  set_target_properties(muster_launcher_code PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
else()
  message(STATUS "no libelf.a and libz.a: the wheel's `muster` needs libelf.so.1")
endif()

# Whoever installs from source has a compiler that we have not seen; its new warnings are not their business.
target_compile_options(muster_warnings INTERFACE -Wno-error)
