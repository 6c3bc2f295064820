// Finds libmuster.so relative to the launcher, so that an installed tree can be moved.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::launcher {

// Where the library may be if the launcher is in `folder`, in order of preference.
std::vector<std::filesystem::path> library_candidates(const std::filesystem::path& folder);

// The first candidate that exists, relative to /proc/self/exe.
std::optional<std::filesystem::path> find_library();

// A message that the library is missing, with the places that were searched.
std::string library_missing();

}  // namespace muster::launcher
