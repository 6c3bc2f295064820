// See openmp_runtime.h. It reads the loader's list instead of dladdr(omp_...), since a preloaded library may interpose
// the runtime's functions.
#include "epcc/openmp_runtime.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace epcc {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"libomp.so", "libomp5.so", "libiomp5.so",
                                                    "libgomp.so"};

int collect(dl_phdr_info* object, std::size_t, void* out) {
  const std::string_view path = object->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  if (std::ranges::none_of(kNames, [&](auto known) { return name.starts_with(known); })) return 0;
  auto& found = *static_cast<std::string*>(out);
  if (!found.empty()) found += ",";
  found += path;
  return 0;
}

}  // namespace

std::string openmp_runtime() {
  std::string found;
  dl_iterate_phdr(collect, &found);
  return found.empty() ? "unknown" : found;
}

}  // namespace epcc
