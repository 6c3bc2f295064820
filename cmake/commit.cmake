# Writes the header OUTPUT with the commit of the source tree SOURCE: run by each build, it changes the file only if the
# commit has changed. Short, `+` behind it where files are changed, empty outside a repository of this very tree.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel --short=10 HEAD
  OUTPUT_VARIABLE answer ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
set(commit "")
if(NOT failed AND answer MATCHES "^(.*)\n([0-9a-f]+)$")
  set(top ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  file(REAL_PATH ${SOURCE} source)
  if(top STREQUAL source)
    execute_process(COMMAND git -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    set(commit ${name})
    if(NOT changes STREQUAL "")
      string(APPEND commit "+")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define MUSTER_COMMIT \"@commit@\"\n" @ONLY)
