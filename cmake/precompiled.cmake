# Headers of the C and C++ libraries that most files include: to parse them takes half of the time to compile one. The
# preset `gcc` does without, and so shows whether each file of the library includes what it needs.

# Of the library.
function(muster_precompile_standard_headers)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <cerrno> <cstdint> <cstdio> <cstdlib> <cstring> <new> <string_view> <type_traits> <utility>
      <link.h> <pthread.h> <sys/syscall.h> <time.h> <unistd.h>)
  endforeach()
endfunction()

# Of simulators, tools and tests, with any more that are named: muster_precompile_for(TARGET [HEADER...]).
function(muster_precompile_for target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <cstdint> <functional> <map> <memory> <optional> <string> <vector> ${ARGN})
endfunction()
