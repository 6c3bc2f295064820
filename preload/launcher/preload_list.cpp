#include "preload/launcher/preload_list.h"

#include <algorithm>

namespace muster::launcher {
namespace {

constexpr std::string_view kSeparators = " :";

}  // namespace

std::vector<std::string> split_preload(std::string_view list) {
  std::vector<std::string> entries;
  while (true) {
    const std::size_t start = list.find_first_not_of(kSeparators);
    if (start == std::string_view::npos) return entries;
    list.remove_prefix(start);
    const std::size_t length = std::min(list.find_first_of(kSeparators), list.size());
    entries.emplace_back(list.substr(0, length));
    list.remove_prefix(length);
  }
}

std::optional<std::string> prepend_preload(const std::string& library, std::string_view list) {
  if (library.find_first_of(kSeparators) != std::string::npos) return std::nullopt;
  std::string joined = library;
  for (const std::string& entry : split_preload(list)) {
    if (entry != library) joined += ":" + entry;
  }
  return joined;
}

}  // namespace muster::launcher
