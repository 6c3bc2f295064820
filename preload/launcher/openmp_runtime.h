// Which OpenMP runtime a library is, told from what is in it: a libgomp.so.1 may be LLVM's, a
// libiomp5.so as well.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "preload/launcher/elf_file.h"

namespace muster::launcher {

enum class RuntimeKind : std::uint8_t { kLibomp, kLibiomp5, kLibgomp, kUnknown };

const char* name_of(RuntimeKind kind);

struct OpenmpRuntime {
  RuntimeKind kind = RuntimeKind::kUnknown;
  std::filesystem::path path;
  std::string version;  // "LLVM 19", "GOMP_5.1", ...; for people
  std::set<std::string> exported;
};

// Whether Muster replaces this runtime's barriers.
bool is_replaced(RuntimeKind kind);

// Whether an object that shows a runtime's entry points is more than a runtime: one is linked into it,
// and most of what it shows is its own.
bool is_more_than_runtime(const ElfFile& file);

// Nothing where `file`, read from `path`, is no OpenMP runtime.
std::optional<OpenmpRuntime> identify_runtime(const std::filesystem::path& path,
                                              const ElfFile& file);

// The runtime linked statically into a program or an object: from its symbols, or, where it is
// stripped, from the strings a runtime carries.
std::optional<RuntimeKind> runtime_inside(const std::filesystem::path& path, const ElfFile& file);

}  // namespace muster::launcher
