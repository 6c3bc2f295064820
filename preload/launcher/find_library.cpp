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

// The places of the library in a wheel whose command pip has installed in `folder`: below
// ../lib/python3.*/site-packages. Several interpreters may share the folder; any copy serves.
std::vector<fs::path> wheel_candidates(const fs::path& folder) {
  const fs::path inside = fs::path("muster_omp") / "lib" / kLibrary;
  std::vector<fs::path> found;
  for (const char* libraries : {"lib", "lib64"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / ".." / libraries, error)) {
      if (entry.path().filename().string().rfind("python3", 0) != 0) continue;
      for (const char* packages : {"site-packages", "dist-packages"})
        found.push_back(entry.path() / packages / inside);
    }
  }
  std::sort(found.begin(), found.end());
  found.push_back(folder / ".." / inside);  // pip install --target
  return found;
}

}  // namespace

std::vector<fs::path> library_candidates(const fs::path& folder) {
  std::vector<fs::path> found;
  // The second is the installed layout. The last but one is Debian's, independent of how this was configured.
  for (const char* relative :
       {"../lib", MUSTER_LIBDIR_FROM_BINDIR, MUSTER_LIB_MULTIARCH, "../lib64", "."}) {
    const fs::path candidate = (folder / relative / kLibrary).lexically_normal();
    if (std::find(found.begin(), found.end(), candidate) == found.end()) found.push_back(candidate);
  }
  for (const fs::path& candidate : wheel_candidates(folder))
    found.push_back(candidate.lexically_normal());
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
