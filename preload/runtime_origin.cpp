#include "preload/runtime_origin.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime-hooks/objects/process_maps.h"

namespace muster {
namespace {

constexpr const char* kPackageFolders[] = {"/site-packages/", "/dist-packages/"};

void copy(const char* from, std::size_t length, char* out, std::size_t size) {
  if (length >= size) length = size - 1;
  std::memcpy(out, from, length);
  out[length] = '\0';
}

// What follows the innermost such folder; null: there is none.
const char* below_packages(const char* path) {
  const char* below = nullptr;
  for (const char* folder : kPackageFolders) {
    for (const char* at = std::strstr(path, folder); at != nullptr; at = std::strstr(at, folder)) {
      at += std::strlen(folder);
      if (at > below) below = at;
      --at;  // its last slash may be the first of the next one
    }
  }
  return below;
}

}  // namespace

void take_out_dots(char* path) {
  char* end = path;  // of what is kept
  for (const char* at = path; *at != '\0';) {
    const std::size_t length = 1 + std::strcspn(at + 1, "/");  // "/name"; a relative path: "name"
    if (length == 2 && std::strncmp(at, "/.", 2) == 0) {
      // "." adds nothing.
    } else if (length == 3 && std::strncmp(at, "/..", 3) == 0 && path[0] == '/') {
      while (end > path && *--end != '/') {
      }
    } else {
      std::memmove(end, at, length);
      end += length;
    }
    at += length;
  }
  *end = '\0';
}

void package_of(const char* given, char* out, std::size_t size) {
  out[0] = '\0';
  char path[1200];
  copy(given, std::strlen(given), path, sizeof(path));
  take_out_dots(path);
  const char* name = below_packages(path);
  if (name == nullptr) return;
  constexpr const char* kLibraries = ".libs";
  std::size_t length = std::strcspn(name, "/");
  if (name[length] == '\0') {
    length = std::strcspn(name, ".");  // a module by itself: name.cpython-311-x86_64-linux-gnu.so
  } else if (length > std::strlen(kLibraries) &&
             std::strncmp(name + length - std::strlen(kLibraries), kLibraries,
                          std::strlen(kLibraries)) == 0) {
    length -= std::strlen(kLibraries);
  }
  copy(name, length, out, size);
}

void full_path_of(const char* path, const void* address, char* out, std::size_t size) {
  copy(path, std::strlen(path), out, size);
  if (path[0] == '/') return take_out_dots(out);
  static char buffer[8192];
  ProcessMaps maps(buffer, sizeof(buffer));
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (Mapping mapping; maps.next(mapping);) {
    if (wanted < mapping.begin || wanted >= mapping.end) continue;
    if (mapping.path[0] != '\0') copy(mapping.path, std::strlen(mapping.path), out, size);
    return;
  }
}

}  // namespace muster
