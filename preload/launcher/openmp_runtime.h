// Identifies the OpenMP runtime in a library by its contents. The name is not enough: libgomp.so.1 and libiomp5.so
// may be LLVM's.
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

// Whether an object that exports a runtime's entry points is more than a runtime: a runtime is linked into it, and
// most of its exports are its own.
bool is_more_than_runtime(const ElfFile& file);

// Nothing if `file`, read from `path`, is not an OpenMP runtime.
std::optional<OpenmpRuntime> identify_runtime(const std::filesystem::path& path,
                                              const ElfFile& file);

// The runtime that is linked statically into a program or an object. Identified by symbols, or if it is stripped, by
// strings that each runtime contains.
std::optional<RuntimeKind> runtime_inside(const std::filesystem::path& path, const ElfFile& file);

// Whether it is an OpenBLAS that is built for pthreads, not for OpenMP.
bool is_blas_with_threads(const ElfFile& file);

}  // namespace muster::launcher
