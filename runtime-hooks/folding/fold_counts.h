// What became of the parallel regions, for the report.
#pragma once

#include <cstdint>

#include "runtime-hooks/teams/fold_reason.h"

namespace muster {

// One place of the program at which folds were closed or regions not folded.
struct FoldSite {
  const char* symbol = nullptr;  // the entry point
  const void* caller = nullptr;  // its return address
  const char* reason = nullptr;  // of kUnfoldedNames or kClosedNames
  bool closed = false;           // else a region that was not folded
  std::uint64_t count = 0;
};

inline constexpr unsigned kMaxFoldSites = 64;

struct FoldCounts {
  std::uint64_t opened = 0;
  std::uint64_t folded = 0;  // regions, those that opened a fold included
  std::uint64_t unfolded[kUnfoldedReasons] = {};
  std::uint64_t closed[kClosedReasons] = {};
  // The first places, in the order of their first occurrence; other ones are only counted above.
  FoldSite sites[kMaxFoldSites];
  unsigned site_count = 0;

  // Adds a thread's count of a place to those of other threads.
  void add(const FoldSite& site);
};

// The current counts. Other threads may still be counting.
const FoldCounts& fold_counts();

}  // namespace muster
