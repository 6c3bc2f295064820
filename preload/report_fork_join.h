// What the report tells of region folding: the counts, taken once so that sums and parts agree, and the
// places in the program.
#pragma once

#include <cstdint>

#include "runtime-hooks/folding/fold_counts.h"

namespace muster {

struct ForkJoinReport {
  const char* setting = "";
  const FoldCounts* counts = nullptr;
  std::uint64_t unfolded = 0;  // sums over the reasons
  std::uint64_t closed = 0;
};

void gather(ForkJoinReport& out);

// A place as addr2line and a disassembler take it: a return address, as the object's file has it.
struct CodePlace {
  char object[1024] = "?";  // "?": nothing is loaded there any more; the offset is the address then
  std::uintptr_t offset = 0;

  const char* object_name() const;  // without its folders
};

// `program` is the main program's path, which the loader does not keep.
CodePlace place_of(const void* address, const char* program);

constexpr const char* name_of_effect(const FoldSite& site) {
  return site.closed ? "closed" : "unfolded";
}

}  // namespace muster
