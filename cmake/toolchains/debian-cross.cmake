# What the toolchain files have in common: Debian's cross compilers, and QEMU to run what they build.
# Theirs are triplet, CMAKE_SYSTEM_PROCESSOR, machine_flags and emulated_cpu.
set(CMAKE_SYSTEM_NAME Linux)

find_program(MUSTER_CROSS_CXX ${triplet}-g++ NO_CMAKE_FIND_ROOT_PATH)
if(NOT MUSTER_CROSS_CXX)
  message(FATAL_ERROR "no ${triplet}-g++: install the package g++-${triplet}")
endif()
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_ASM_COMPILER ${triplet}-gcc)
foreach(language C CXX ASM)
  set(CMAKE_${language}_FLAGS_INIT "${machine_flags}")
endforeach()

set(CMAKE_FIND_ROOT_PATH /usr/${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# ctest and the tests run programs through it.
find_program(MUSTER_QEMU NAMES qemu-${CMAKE_SYSTEM_PROCESSOR} qemu-${CMAKE_SYSTEM_PROCESSOR}-static
             NO_CMAKE_FIND_ROOT_PATH)
if(MUSTER_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${MUSTER_QEMU} -cpu ${emulated_cpu} -L /usr/${triplet})
endif()
