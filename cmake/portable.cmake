# Files for machines that have not got what they were built with: the wheel and the tarball. The command brings libelf and
# the C++ library with it, where there are archives of them, and reads no debug information (libdw). On x86-64, command
# and library run with glibc 2.28, whatever glibc they were built on (platform/older_glibc/).
set(for_wheel OFF)
if(SKBUILD)
  set(for_wheel ON)
endif()
option(MUSTER_PORTABLE "libmuster.so and the command need little but an old C library" ${for_wheel})
add_library(muster_portable INTERFACE)
add_library(muster_portable_command INTERFACE)
if(NOT MUSTER_PORTABLE)
  return()
endif()

target_link_options(muster_portable INTERFACE -static-libstdc++ -static-libgcc -Wl,--build-id=sha1)
target_link_libraries(muster_portable_command INTERFACE muster_portable)

include(CheckCSourceCompiles)
check_c_source_compiles("#include <features.h>\n#if !defined(__x86_64__) || !__GLIBC_PREREQ(2, 35)\n#error\n#endif
  int main(void) { return 0; }" MUSTER_OLDER_GLIBC)
if(NOT MUSTER_OLDER_GLIBC)
  return()
endif()
# muster_older_glibc(TARGET FILE NAME...): calls of each NAME go to __wrap_NAME, which is in FILE. What the library has of
# its own (platform/c_library/) is for the command alone.
function(muster_older_glibc target file)
  add_library(${target}_glibc STATIC ${CMAKE_SOURCE_DIR}/platform/older_glibc/${file})
  target_compile_options(${target}_glibc PRIVATE -ffunction-sections -O2)
  list(TRANSFORM ARGN PREPEND -Wl,--wrap=)
  target_link_options(${target} INTERFACE ${ARGN})
  target_link_libraries(${target} INTERFACE ${target}_glibc)
endfunction()
muster_older_glibc(muster_portable functions.c
  dlopen dlsym dlclose dlerror dladdr pthread_create pthread_join pthread_detach pthread_key_create pthread_key_delete
  pthread_setspecific pthread_getspecific pthread_attr_setstacksize __pthread_key_create _dl_find_object)
muster_older_glibc(muster_portable_command command.c
  pow sigabbrev_np arc4random __libc_start_main dlvsym dladdr1 pthread_once pthread_sigmask pthread_attr_setaffinity_np
  pthread_setname_np stat lstat fstat stat64 lstat64 fstat64)
# Before 2.34 they were in these. A newer glibc has them empty; they are named so that an older loader opens them.
target_link_options(muster_portable INTERFACE
  -Wl,--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--pop-state)
