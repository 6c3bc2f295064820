# A cross build has the C and C++ libraries of the other processor and nothing more. Two things that it
# needs are the same on each 64-bit Linux and are taken from this machine: GoogleTest's source (package
# googletest, which libgtest-dev brings) and hwloc's headers (libhwloc-dev; libmuster.so opens the library
# of the machine it runs on).
function(muster_borrow_gtest)
  if(NOT EXISTS /usr/src/googletest/CMakeLists.txt)
    message(FATAL_ERROR "no /usr/src/googletest: install the package googletest")
  endif()
  set(BUILD_GMOCK OFF CACHE BOOL "")
  set(INSTALL_GTEST OFF CACHE BOOL "")
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  # Nobody debugs it, and it takes longer to compile than our tests.
  foreach(library gtest gtest_main)
    target_compile_options(${library} PRIVATE -O0 -g0)
  endforeach()
endfunction()

# For one source file: last in the order, so that everything else comes from the cross compiler.
function(muster_borrow_hwloc source)
  find_path(MUSTER_HWLOC_OF_TARGET hwloc.h)
  if(MUSTER_HWLOC_OF_TARGET)
    return()
  endif()
  find_path(MUSTER_HWLOC_OF_HOST hwloc.h NO_CMAKE_FIND_ROOT_PATH)
  if(NOT MUSTER_HWLOC_OF_HOST)
    message(FATAL_ERROR "no hwloc.h: install the package libhwloc-dev")
  endif()
  file(GLOB configured ${MUSTER_HWLOC_OF_HOST}/*-linux-gnu/hwloc)
  set(options -idirafter ${MUSTER_HWLOC_OF_HOST})
  foreach(folder IN LISTS configured)
    get_filename_component(folder ${folder} DIRECTORY)
    list(APPEND options -idirafter ${folder})
  endforeach()
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()
