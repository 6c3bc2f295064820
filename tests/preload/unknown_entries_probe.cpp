// Prints the first entry point of a runtime that Muster does not handle, or "all known".
#include <dlfcn.h>

#include <cstdio>

#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/runtimes/unknown_entries.h"

int main(int count, char** arguments) {
  void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : nullptr;
  if (library == nullptr) return 2;
  muster::Runtime runtime;
  const void* fork = dlsym(library, "__kmpc_fork_call");
  runtime.object = muster::object_of(fork != nullptr ? fork : dlsym(library, "GOMP_parallel"));
  const char* unknown = muster::unknown_entry_point(runtime);
  std::puts(unknown != nullptr ? unknown : "all known");
  return 0;
}
