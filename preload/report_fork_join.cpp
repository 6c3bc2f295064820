#include "preload/report_fork_join.h"

#include <cstdio>
#include <cstring>

#include "runtime-hooks/loaded_objects.h"

namespace muster {
namespace {

template <unsigned kReasons>
std::uint64_t take(const std::uint64_t (&from)[kReasons], std::uint64_t (&to)[kReasons]) {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < kReasons; ++i) {
    to[i] = from[i];
    sum += to[i];
  }
  return sum;
}

}  // namespace

void gather(ForkJoinReport& out) {
  const FoldCounts& counts = fold_counts();
  out.opened = counts.opened;
  out.folded = counts.folded;
  out.unfolded = take(counts.unfolded, out.unfolded_by_reason);
  out.closed = take(counts.closed, out.closed_by_reason);
  out.site_count = counts.site_count;
  for (unsigned i = 0; i < out.site_count; ++i) out.sites[i] = counts.sites[i];
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
