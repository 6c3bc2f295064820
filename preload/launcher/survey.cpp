#include "preload/launcher/survey.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "preload/launcher/linked_libraries.h"
#include "preload/runtime_origin.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

// The runtimes that an object is linked with.
struct Caller {
  fs::path folder;  // of the object
  std::vector<std::string> needed;
  std::string run_path;
};

struct Seen {
  std::vector<Caller> callers;
  std::map<std::string, fs::path>
      with_blas;  // by what it is linked with, as libblas.so.3: the first such object
};

bool is_elf(const fs::path& path) {
  std::array<char, 4> magic{};
  std::ifstream stream(path, std::ios::binary);
  return stream.read(magic.data(), magic.size()) && std::equal(magic.begin(), magic.end(), ELFMAG);
}

std::string package_name(const fs::path& path) {
  char name[256];
  std::error_code error;
  package_of(fs::absolute(path, error).c_str(), name, sizeof(name));
  return name;
}

// Regular files, each once, in a stable order. Links are not followed: their targets are found by themselves if they
// are in the tree.
std::vector<fs::path> files_in(const std::vector<fs::path>& paths, Survey& found) {
  std::set<fs::path> files;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.insert(path);
      continue;
    }
    auto at = fs::recursive_directory_iterator(path, fs::directory_options::none, error);
    while (!error && at != fs::recursive_directory_iterator()) {
      std::error_code unknown;
      if (at->is_regular_file(unknown) && !at->is_symlink(unknown)) files.insert(at->path());
      if (at->is_directory(unknown) && !at->is_symlink(unknown)) {
        fs::directory_iterator(at->path(), unknown);
        if (unknown) {
          found.problems.push_back(fmt::format("{}: {}", at->path().string(), unknown.message()));
          at.disable_recursion_pending();
        }
      }
      at.increment(error);
    }
    if (error) found.problems.push_back(fmt::format("{}: {}", path.string(), error.message()));
  }
  return {files.begin(), files.end()};
}

// Whether it imports anything of an OpenMP runtime that Muster replaces. Functions of the C library that Muster
// interposes do not count.
bool calls_openmp(const ElfFile& file, const ElfFile& muster) {
  return std::any_of(file.imported.begin(), file.imported.end(), [&](const std::string& name) {
    return (name.rfind("GOMP_", 0) == 0 || name.rfind("__kmpc_", 0) == 0) &&
           muster.exported.count(name) != 0;
  });
}

bool names_a_runtime(const std::string& soname) {
  return soname.find("gomp") != std::string::npos || soname.find("omp5") != std::string::npos ||
         soname.rfind("libomp", 0) == 0;
}

void look_at(const fs::path& path, const ElfFile& muster, Survey& found, Seen& seen) {
  const auto file = read_elf(path);
  if (!file || (file->type != ET_DYN && file->type != ET_EXEC)) return;
  ++found.objects;
  if (file->soname == "libmuster.so") return;
  if (is_blas_with_threads(*file)) found.blas.push_back({path, package_name(path)});
  for (const std::string& name : file->needed) {
    if (name.find("blas") != std::string::npos) seen.with_blas.try_emplace(name, path);
  }
  auto runtime = identify_runtime(path, *file);
  if (runtime && !is_more_than_runtime(*file)) {
    RuntimeFound entry{
        .runtime = std::move(*runtime), .package = package_name(path), .problem = {}};
    if (file->architecture != muster.architecture) {
      entry.problem = fmt::format("it is for {}, libmuster.so for {}", name_of(file->architecture),
                                  name_of(muster.architecture));
    } else if (!is_replaced(entry.runtime.kind)) {
      entry.problem = "not replaced, passes through";
    }
    found.runtimes.push_back(std::move(entry));
    return;
  }
  const auto inside = runtime ? std::optional(runtime->kind) : runtime_inside(path, *file);
  if (inside) {
    found.inside.push_back({path, package_name(path), *inside});
  } else if (calls_openmp(*file, muster) && file->architecture == muster.architecture) {
    seen.callers.push_back({path.parent_path(), file->needed, file->run_path});
  }
}

// Packages of a distribution use the system's OpenBLAS, which is not in the tree.
void find_blas_elsewhere(const Seen& seen, Survey& found) {
  const auto command = read_elf("/proc/self/exe");  // as good a loader as any
  if (!command || command->interpreter.empty()) return;
  std::set<fs::path> known;
  std::error_code error;
  for (const BlasFound& entry : found.blas) known.insert(fs::canonical(entry.path, error));
  for (const auto& [name, object] : seen.with_blas) {
    for (const fs::path& path : list_libraries(command->interpreter, object, "").found) {
      const auto file = read_elf(path);
      if (!file || !is_blas_with_threads(*file)) continue;
      if (known.insert(fs::canonical(path, error)).second)
        found.blas.push_back({path, package_name(object)});
    }
  }
}

// The file that the loader finds in the object's own list of folders. Empty: none, so that it searches elsewhere.
fs::path found_by_run_path(const Caller& caller, const std::string& soname) {
  std::istringstream folders(caller.run_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* origin : {"$ORIGIN", "${ORIGIN}"}) {
      const std::size_t at = folder.find(origin);
      if (at != std::string::npos) {
        folder.replace(at, std::strlen(origin), caller.folder.string());
      }
    }
    std::error_code error;
    const fs::path file = fs::canonical(fs::path(folder) / soname, error);
    if (!error) return file;
  }
  return {};
}

// The runtimes, by the names that objects are linked with.
using ByName = std::map<std::string, std::vector<RuntimeFound*>>;

// Copies in several wheels may have the same name. An object that does not determine which one it uses is counted for
// each.
void count_caller(const Caller& caller, const ByName& by_name, Survey& found) {
  for (const std::string& name : caller.needed) {
    const auto copies = by_name.find(name);
    if (copies == by_name.end()) {
      if (names_a_runtime(name)) ++found.missing[name];
      continue;
    }
    const fs::path meant = found_by_run_path(caller, name);
    const auto is_meant = [&](const RuntimeFound* copy) {
      std::error_code error;
      return fs::canonical(copy->runtime.path, error) == meant;
    };
    const bool told = std::any_of(copies->second.begin(), copies->second.end(), is_meant);
    for (RuntimeFound* copy : copies->second) {
      if (!told || is_meant(copy)) ++copy->callers;
    }
  }
}

}  // namespace

bool is_to_be_surveyed(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return true;
  if (!fs::is_regular_file(path, error) || !is_elf(path)) return false;
  const auto file = read_elf(path);
  return file && file->type == ET_DYN && file->interpreter.empty() &&
         (!file->soname.empty() || path.filename().string().find(".so") != std::string::npos);
}

Survey survey(const std::vector<fs::path>& paths, const ElfFile& muster) {
  Survey found;
  Seen seen;
  for (const fs::path& path : files_in(paths, found)) {
    if (is_elf(path)) look_at(path, muster, found, seen);
  }
  ByName by_name;
  for (RuntimeFound& entry : found.runtimes) {
    if (entry.problem.empty()) ++found.reached;
    std::set<std::string> names{entry.runtime.path.filename().string()};
    if (const auto file = read_elf(entry.runtime.path)) names.insert(file->soname);
    for (const std::string& name : names) by_name[name].push_back(&entry);
  }
  for (const Caller& caller : seen.callers) count_caller(caller, by_name, found);
  find_blas_elsewhere(seen, found);
  return found;
}

}  // namespace muster::launcher
