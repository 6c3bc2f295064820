#include "preload/launcher/openmp_runtime.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

// In every build of Muster, whose launcher also contains the strings below.
constexpr std::string_view kOwnMark = "MUSTER_BARRIER";
// Both are in every build of the runtime: users read them with KMP_VERSION and `what`.
constexpr std::string_view kLlvmBanner = "LLVM OMP version: ";
constexpr std::string_view kIntelBanner = "Intel(R) OMP version: ";
// An environment variable that only libgomp reads.
constexpr std::string_view kGnuMark = "GOMP_SPINCOUNT";

std::string contents_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Entry points, with the first version of LLVM that has them. libomp does not contain the version of LLVM: its banner
// has been 5.0.20140926 for a decade.
struct Marker {
  const char* symbol;
  int since;
};
constexpr Marker kMarkers[] = {
    {"omp_get_submemspace", 20},
    {"__kmpc_push_num_threads_strict", 19},
    {"__kmpc_fork_call_if", 16},
};

// The version of LLVM in the path, as distributions install it: .../llvm-19/lib/libomp.so.5, libomp-14.so.5.
std::string llvm_version_by_path(const fs::path& path) {
  static const std::regex kVersioned("/llvm-([0-9]+)/|/libomp-([0-9]+)\\.so");
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  std::smatch match;
  if (!std::regex_search(real, match, kVersioned)) return "";
  return "LLVM " + (match[1].matched ? match[1] : match[2]).str();
}

std::string llvm_version_by_symbols(const ElfFile& file) {
  int before = 0;  // the first version that it cannot be
  for (const Marker& marker : kMarkers) {
    if (file.exported.count(marker.symbol) != 0) {
      if (before == 0) return fmt::format("LLVM {} or later", marker.since);
      if (before == marker.since + 1) return fmt::format("LLVM {}", marker.since);
      return fmt::format("LLVM {} to {}", marker.since, before - 1);
    }
    before = marker.since;
  }
  return fmt::format("LLVM {} or earlier", before - 1);
}

// The Python package that installed a file, found by NAME-VERSION.dist-info beside the package's folders.
std::string wheel_of(const fs::path& path) {
  static const std::regex kInfo("(.+)-([^-]+)\\.dist-info");
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  fs::path folder = file.parent_path();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      std::smatch match;
      if (!std::regex_match(name, match, kInfo)) continue;
      // "torch/lib/libgomp.so.1,sha256=...": the first field of a line.
      const std::string recorded = "\n" + contents_of(entry.path() / "RECORD");
      const std::string name_there = file.lexically_relative(folder).string();
      if (recorded.find("\n" + name_there + ",") == std::string::npos) continue;
      return fmt::format("{} {}", match[1].str(), match[2].str());
    }
  }
  return "";
}

// The digits and dots after a banner.
std::string after(const std::string& text, std::string_view banner) {
  const std::size_t start = text.find(banner);
  if (start == std::string::npos) return "";
  const std::size_t from = start + banner.size();
  return text.substr(from, text.find_first_not_of("0123456789.", from) - from);
}

std::string version_of(RuntimeKind kind, const fs::path& path, const ElfFile& file,
                       const std::string& contents) {
  static const std::regex kNode("GOMP_[0-9.]+");
  std::string version;
  if (kind == RuntimeKind::kLibiomp5) {
    version = after(contents, kIntelBanner);
  } else if (kind == RuntimeKind::kLibgomp) {
    for (const std::string& node : file.versions) {
      // In order, the newest last. GOMP_PLUGIN_* are numbered separately.
      if (std::regex_match(node, kNode)) version = node;
    }
  } else {
    version = llvm_version_by_path(path);
    if (version.empty()) version = llvm_version_by_symbols(file);
  }
  const std::string wheel = wheel_of(path);
  return wheel.empty() ? version : fmt::format("{}, package {}", version, wheel);
}

RuntimeKind kind_by_strings(const std::string& contents) {
  if (contents.find(kIntelBanner) != std::string::npos) return RuntimeKind::kLibiomp5;
  if (contents.find(kLlvmBanner) != std::string::npos) return RuntimeKind::kLibomp;
  if (contents.find(kGnuMark) != std::string::npos) return RuntimeKind::kLibgomp;
  return RuntimeKind::kUnknown;
}

}  // namespace

const char* name_of(RuntimeKind kind) {
  switch (kind) {
    case RuntimeKind::kLibomp:
      return "libomp";
    case RuntimeKind::kLibiomp5:
      return "libiomp5";
    case RuntimeKind::kLibgomp:
      return "libgomp";
    case RuntimeKind::kUnknown:
      break;
  }
  return "an OpenMP runtime Muster does not know";
}

bool is_replaced(RuntimeKind kind) { return kind != RuntimeKind::kUnknown; }

bool is_more_than_runtime(const ElfFile& file) {
  std::size_t of_openmp = 0;
  for (const std::string& name : file.exported) {
    if (name.rfind("PyInit_", 0) == 0) return true;
    for (const char* prefix :
         {"GOMP_", "GOACC_", "goacc_", "acc_", "omp", "__kmp", "kmp", "_You_must_link", "ompt_"}) {
      if (name.rfind(prefix, 0) != 0) continue;
      ++of_openmp;
      break;
    }
  }
  return 2 * of_openmp < file.exported.size();
}

std::optional<OpenmpRuntime> identify_runtime(const fs::path& path, const ElfFile& file) {
  const bool kmpc = file.exported.count("__kmpc_fork_call") != 0;
  if (!kmpc && file.exported.count("GOMP_parallel") == 0) return std::nullopt;
  const std::string contents = contents_of(path);
  OpenmpRuntime runtime;
  runtime.path = path;
  runtime.exported = file.exported;
  runtime.kind = kind_by_strings(contents);
  runtime.version = version_of(runtime.kind, path, file, contents);
  return runtime;
}

std::optional<RuntimeKind> runtime_inside(const fs::path& path, const ElfFile& file) {
  // It does not contain what it imports.
  if (file.imported.count("__kmpc_fork_call") + file.imported.count("GOMP_parallel") != 0) {
    return std::nullopt;
  }
  if (file.has_symbols) {
    const bool kmpc = file.defined.count("__kmpc_fork_call") != 0;
    if (!kmpc && file.defined.count("GOMP_parallel") == 0) return std::nullopt;
  }
  if (!file.has_symbols && !file.imported.empty() && file.imported.count("pthread_create") == 0) {
    return std::nullopt;  // it starts no threads
  }
  const std::string contents = contents_of(path);
  if (contents.find(kOwnMark) != std::string::npos) return std::nullopt;
  const RuntimeKind kind = kind_by_strings(contents);
  if (!file.has_symbols && kind == RuntimeKind::kUnknown) return std::nullopt;
  return kind;
}

bool is_blas_with_threads(const ElfFile& file) {
  const auto begins = [](const std::set<std::string>& names, std::string_view prefix) {
    const auto first = names.lower_bound(std::string(prefix));
    return first != names.end() && first->starts_with(prefix);
  };
  // Builds for wheels put a prefix and a suffix around the names.
  const bool is_openblas = begins(file.exported, "openblas_get_parallel") ||
                           begins(file.exported, "scipy_openblas_get_parallel");
  const bool uses_openmp = begins(file.imported, "GOMP_") || begins(file.imported, "__kmpc_") ||
                           begins(file.imported, "omp_");
  return is_openblas && !uses_openmp && file.imported.count("pthread_create") != 0;
}

}  // namespace muster::launcher
