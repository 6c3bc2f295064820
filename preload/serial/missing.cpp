// Names that no runtime of this process defines.
#include <errno.h>
#include <unistd.h>

#include <cstdio>

#include "platform/program_name.h"
#include "preload/serial/serial.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/runtimes/runtime.h"

namespace muster {
namespace {

bool has_runtime() {
  Runtime* const* list = nullptr;
  const unsigned count = known_runtimes(&list);
  for (unsigned i = 0; i < count; ++i) {
    if (!list[i]->is_still(0)) return true;
  }
  return false;
}

// The loader's own message.
[[noreturn]] void refuse(const char* name, const LoadedObject& object, const char* version) {
  dprintf(STDERR_FILENO, "%s: symbol lookup error: %s: undefined symbol: %s%s%s\n", __progname_full,
          object.path[0] != '\0' ? object.path : __progname_full, name,
          version != nullptr ? ", version " : "", version != nullptr ? version : "");
  _exit(127);
}

}  // namespace

// Without any runtime the construct is executed serially. If there is a runtime without the name, and the object's
// reference is not weak, the process ends, as it would in the loader: a construct that each thread of a team executed
// as if it were alone would be wrong.
AnyFunction function_for_missing(const char* name, const void* caller) {
  if (has_runtime()) {
    const LoadedObject object = object_of(caller);
    if (object.found() && !is_muster(object)) {
      const Reference reference = reference_to(dynamic_symbols_of(object), name);
      if (reference.found && !reference.weak) refuse(name, object, reference.version);
    }
  }
  return serial_function(name);
}

}  // namespace muster
