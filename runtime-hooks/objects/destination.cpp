#include "runtime-hooks/objects/destination.h"

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {

Destination destination_of(const void* caller, const char* symbol) {
  const LoadedObject object = object_of(caller);
  Destination found{.begin = object.begin, .end = object.end};
  if (object.found() && !is_muster(object)) found.function = defined_by(object, symbol);
  if (found.function != nullptr && goes_before_muster(object, symbol)) found.function = nullptr;
  found.from_itself = found.function != nullptr;
  if (!found.from_itself) found.function = address_without_muster(object, symbol);
  return found;
}

}  // namespace muster
