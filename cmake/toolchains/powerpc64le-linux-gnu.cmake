# 64-bit little-endian POWER, from POWER8 on.
set(triplet powerpc64le-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(machine_flags "")
set(emulated_cpu power9)
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
