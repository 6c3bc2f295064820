# 64-bit Arm, without LSE: MUSTER_LSE=ON for the instructions of Armv8.1 that update memory at once.
set(triplet aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(MUSTER_LSE OFF CACHE BOOL "AArch64: build for Armv8.1 with its atomic instructions (LSE)")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MUSTER_LSE)
if(MUSTER_LSE)
  set(machine_flags -march=armv8.1-a)
  set(emulated_cpu neoverse-n1)
else()
  # Not even where the processor that it runs on has them.
  set(machine_flags "-march=armv8-a -mno-outline-atomics")
  set(emulated_cpu cortex-a53)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
