// Where a Python interpreter finds its packages, without running it.
#pragma once

#include <filesystem>
#include <vector>

namespace muster::launcher {

// Whether a program is a Python interpreter, by its name.
bool is_python(const std::filesystem::path& program);

// The folders of packages that exist: of the virtual environment that the interpreter belongs to, of its installation,
// of the user, and in PYTHONPATH. `interpreter` as it was found, since a virtual environment has a symbolic link.
std::vector<std::filesystem::path> package_folders(const std::filesystem::path& interpreter);

}  // namespace muster::launcher
