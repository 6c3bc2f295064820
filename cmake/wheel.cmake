# What the wheel `muster-omp` holds. scikit-build-core sets SKBUILD, and SKBUILD_SCRIPTS_DIR for what ends up beside
# `python`; anything else is placed relative to site-packages. See docs/use/python.md.
install(TARGETS muster LIBRARY DESTINATION muster_omp/lib COMPONENT wheel)
# The binary itself, not a Python script that starts it: no interpreter has to start first.
install(TARGETS muster_launcher RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)

# Whoever installs from source has a compiler that we have not seen; its new warnings are not their business.
target_compile_options(muster_warnings INTERFACE -Wno-error)
