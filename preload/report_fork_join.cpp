#include "preload/report_fork_join.h"

#include <cstdio>
#include <cstring>

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {
void gather(ForkJoinReport& out) {
  out.counts = &fold_counts();
  for (const std::uint64_t count : out.counts->unfolded) out.unfolded += count;
  for (const std::uint64_t count : out.counts->closed) out.closed += count;
}

const char* CodePlace::object_name() const {
  const char* slash = std::strrchr(object, '/');
  return slash != nullptr ? slash + 1 : object;
}

CodePlace place_of(const void* address, const char* program) {
  CodePlace place;
  place.offset = reinterpret_cast<std::uintptr_t>(address);
  const LoadedObject object = object_of(address);
  if (!object.found()) return place;
  place.offset -= object.base;
  std::snprintf(place.object, sizeof(place.object), "%s",
                object.path[0] != '\0' ? object.path : program);
  return place;
}

}  // namespace muster
