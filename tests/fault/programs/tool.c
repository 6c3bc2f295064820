// An OMPT tool that only observes. It prints on stdout that it was started.
#include <omp-tools.h>
#include <stdio.h>

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)lookup;
  (void)device;
  (void)data;
  puts("tool started");
  return 1;
}

static void finalize(ompt_data_t* data) { (void)data; }

ompt_start_tool_result_t* ompt_start_tool(unsigned int version, const char* runtime) {
  (void)version;
  (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
