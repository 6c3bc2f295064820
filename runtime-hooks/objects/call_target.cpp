#include "runtime-hooks/objects/call_target.h"

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {

CallTarget call_target_of(const void* caller, const char* symbol) {
  const LoadedObject object = object_of(caller);
  CallTarget found{.begin = object.begin, .end = object.end};
  if (object.found() && !is_muster(object)) found.function = defined_by(object, symbol);
  if (found.function != nullptr && goes_before_muster(object, symbol)) found.function = nullptr;
  found.from_itself = found.function != nullptr;
  if (!found.from_itself) found.function = address_without_muster(object, symbol);
  return found;
}

}  // namespace muster
