// Where libmuster.so is, seen from the launcher's own place, so that an installed tree can be
// moved.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::launcher {

// Where the library may lie beside a launcher in `folder`, best first.
std::vector<std::filesystem::path> library_candidates(const std::filesystem::path& folder);

// The first candidate beside /proc/self/exe that exists.
std::optional<std::filesystem::path> find_library();

// For people: that the library is missing, and where it was looked for.
std::string library_missing();

}  // namespace muster::launcher
