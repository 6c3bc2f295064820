#include "preload/launcher/python_packages.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

// A key of pyvenv.cfg, in small letters; empty without it.
std::string setting_in(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string name, equals, value;
    words >> name >> equals >> value;
    if (name == key && equals == "=") return value;
  }
  return "";
}

void add(const fs::path& folder, std::vector<fs::path>& found) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (!error && fs::is_directory(real, error) &&
      std::find(found.begin(), found.end(), real) == found.end()) {
    found.push_back(real);
  }
}

// "python3.11", or all versions if the interpreter's name has none.
void add_installation(const fs::path& prefix, const std::string& version,
                      std::vector<fs::path>& found) {
  for (const fs::path& libraries : {prefix / "lib", prefix / "lib64", prefix / "local" / "lib"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(libraries, error)) {
      const std::string name = entry.path().filename().string();
      const bool is_meant = name == version || (version.find('.') == std::string::npos &&
                                                name.rfind("python3.", 0) == 0);
      if (!is_meant && name != "python3") continue;  // Debian's packages serve all versions
      for (const char* packages : {"site-packages", "dist-packages"})
        add(entry.path() / packages, found);
    }
  }
}

}  // namespace

bool is_python(const fs::path& program) {
  return program.filename().string().rfind("python", 0) == 0;
}

std::vector<fs::path> package_folders(const fs::path& interpreter) {
  std::vector<fs::path> found;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::istringstream path(variable("PYTHONPATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty()) add(folder, found);
  }
  std::error_code error;
  const fs::path absolute = fs::absolute(interpreter, error);
  const fs::path real = fs::canonical(interpreter, error);
  const std::string version = real.filename().string();
  bool sees_installation = true;
  for (const fs::path& folder : {absolute.parent_path(), absolute.parent_path().parent_path()}) {
    if (!fs::exists(folder / "pyvenv.cfg", error)) continue;
    add_installation(absolute.parent_path().parent_path(), version, found);
    sees_installation = setting_in(folder / "pyvenv.cfg", "include-system-site-packages") == "true";
    break;
  }
  if (!sees_installation) return found;
  if (variable("PYTHONNOUSERSITE").empty())
    add_installation(fs::path(variable("HOME")) / ".local", version, found);
  add_installation(real.parent_path().parent_path(), version, found);
  return found;
}

}  // namespace muster::launcher
