// The list of libraries in LD_PRELOAD, which the loader splits at spaces and colons.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::launcher {

std::vector<std::string> split_preload(std::string_view list);

// The list with `library` first, and only there. Nothing if the library's path cannot be in such a list.
std::optional<std::string> prepend_preload(const std::string& library, std::string_view list);

}  // namespace muster::launcher
