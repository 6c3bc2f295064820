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
  // The first places, in the order of their first time; further ones are counted above only.
  FoldSite sites[kMaxFoldSites];
  unsigned site_count = 0;

  // One thread's, together with what others counted at the same place.
  void add(const FoldSite& site);
};

// As they stand now. Others may still be counting.
const FoldCounts& fold_counts();

}  // namespace muster
