#include "preload/launcher/find_library.h"

#include <algorithm>
#include <system_error>

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libmuster.so";

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

std::vector<fs::path> library_candidates(const fs::path& folder) {
  std::vector<fs::path> found;
  // The second is the installed layout, the last but one Debian's whatever the build was told.
  for (const char* relative :
       {"../lib", MUSTER_LIBDIR_FROM_BINDIR, MUSTER_LIB_MULTIARCH, "../lib64", "."}) {
    const fs::path candidate = (folder / relative / kLibrary).lexically_normal();
    if (std::find(found.begin(), found.end(), candidate) == found.end()) found.push_back(candidate);
  }
  return found;
}

std::optional<fs::path> find_library() {
  for (const fs::path& candidate : library_candidates(own_folder())) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return candidate;
  }
  return std::nullopt;
}

std::string library_missing() {
  std::string text = std::string(kLibrary) + " was not found; looked for";
  for (const fs::path& candidate : library_candidates(own_folder()))
    text += " " + candidate.string();
  return text;
}

}  // namespace muster::launcher
