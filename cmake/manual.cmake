# Man pages and completions, made by the programs that they describe, into share/ of the build folder; and their
# installation. `man` finds those of the launcher when bin/ of the build folder is in PATH.
set(manual ${CMAKE_BINARY_DIR}/share)
set(completions
  bash-completion/completions/muster zsh/site-functions/_muster fish/vendor_completions.d/muster.fish)

set(write_completions "")
foreach(completion IN LISTS completions)
  get_filename_component(folder ${manual}/${completion} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  string(REGEX MATCH "^[a-z]+" shell ${completion})
  list(APPEND write_completions COMMAND muster_launcher completion ${shell} > ${manual}/${completion})
endforeach()
add_custom_command(OUTPUT ${manual}/manual.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}/man
  COMMAND muster_launcher manual ${manual}/man
  ${write_completions}
  COMMAND ${CMAKE_COMMAND} -E touch ${manual}/manual.stamp
  DEPENDS muster_launcher VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/manual.stamp)

# OPTIONAL: a build of single targets has none.
install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
foreach(completion IN LISTS completions)
  get_filename_component(folder ${completion} DIRECTORY)
  install(FILES ${manual}/${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} OPTIONAL)
endforeach()

# The tools' programs. Once installed they have a prefix, since there are other programs called `model` or `trace`.
set(MUSTER_TOOL_PREFIX "muster-" CACHE STRING "What the names of installed tools begin with")
set(tools cluster coherence gang model pair_overheads smp)
set(epcc_tools barrier linetransfer parallel_for stream-clustering syncbench test-yield)
find_package(Python3 COMPONENTS Interpreter)
# A page for FILE, made when DEPENDENCY has been built.
function(muster_tool_page tool file dependency)
  set(name ${MUSTER_TOOL_PREFIX}${tool})
  set(page ${manual}/tools/man/man1/${name}.1)
  add_custom_command(OUTPUT ${page}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/help_page.py ${file} --name ${name}
            --version ${PROJECT_VERSION} --output ${page}
    DEPENDS ${dependency} ${CMAKE_SOURCE_DIR}/cmake/help_page.py VERBATIM)
  set(tool_pages ${tool_pages} ${page} PARENT_SCOPE)
endfunction()
if(Python3_FOUND)
  foreach(tool IN LISTS tools)
    if(TARGET ${tool})
      muster_tool_page(${tool} $<TARGET_FILE:${tool}> ${tool})
    endif()
  endforeach()
  foreach(tool IN LISTS epcc_tools) # targets without TARGET_FILE
    muster_tool_page(${tool} ${CMAKE_BINARY_DIR}/bin/${tool} epcc-${tool})
  endforeach()
  muster_tool_page(burner ${CMAKE_BINARY_DIR}/bin/burner epcc-burner)
  muster_tool_page(trace ${CMAKE_SOURCE_DIR}/campaigns/trace.py ${CMAKE_SOURCE_DIR}/campaigns/trace.py)
  add_custom_target(tools_manual DEPENDS ${tool_pages})
  install(DIRECTORY ${manual}/tools/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools OPTIONAL)
endif()
