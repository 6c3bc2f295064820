#include "runtime-hooks/destination.h"

#include "runtime-hooks/dynamic_symbols.h"
#include "runtime-hooks/loaded_objects.h"

namespace muster {

Destination destination_of(const void* caller, const char* symbol) {
  const LoadedObject object = object_of(caller);
  Destination found{.begin = object.begin, .end = object.end};
  if (object.found() && !is_muster(object)) found.function = defined_by(object, symbol);
  found.from_itself = found.function != nullptr;
  if (!found.from_itself) found.function = address_without_muster(object, symbol);
  return found;
}

void* destination_in_region(const void* runtime, const char* symbol) {
  struct Search {
    const LoadedObject runtime;
    const char* symbol;
    void* in_runtime = nullptr;
    void* elsewhere = nullptr;  // a version that the runtime does not have
  } search{object_of(runtime), symbol};
  LoadedObject object;
  find_object(
      [](const LoadedObject& candidate, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (!reference_to(dynamic_symbols_of(candidate), wanted.symbol).found) return false;
        void* function = address_without_muster(candidate, wanted.symbol);
        const auto place = reinterpret_cast<std::uintptr_t>(function);
        const bool inside = wanted.runtime.begin <= place && place < wanted.runtime.end;
        if (inside) wanted.in_runtime = function;
        if (wanted.elsewhere == nullptr) wanted.elsewhere = function;
        return inside;
      },
      &search, object);
  if (search.in_runtime != nullptr) return search.in_runtime;
  if (search.elsewhere != nullptr) return search.elsewhere;
  return defined_by(search.runtime, symbol);
}

}  // namespace muster
