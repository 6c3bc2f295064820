// How a team combines the partial results of a reduction: the runtime's choice among its methods, and the order of the
// tree, on which the rounding of floating-point results depends.
#pragma once

#include <cstdint>

#include "runtime-hooks/runtimes/abi.h"

namespace muster {

enum class Reduction : std::uint8_t {
  kReal,      // the runtime's own, whatever it chooses
  kAtomic,    // each thread updates the shared variables by atomic operations
  kCritical,  // one thread at a time, in a critical section
  kTree,      // pairs of thread numbers 1, 2, 4... apart: always in the same order
};

// The settings of libomp and libiomp5 for reductions.
struct ReductionRules {
  Reduction forced =
      Reduction::kReal;    // KMP_FORCE_REDUCTION, KMP_DETERMINISTIC_REDUCTION; kReal: no
  bool understood = true;  // else the runtime does all reductions
  bool usual_tree = true;  // else the runtime's tree has another shape
};

// Read from the environment, as the runtimes do.
ReductionRules reduction_rules();

// The method for a team of `threads`, the same for all of them. On x86-64, AArch64 and
// POWER the runtimes use atomics (or a critical section, where the compiler has made no atomic
// operations) up to four threads, and the tree above.
Reduction reduction_method(const ReductionRules& rules, unsigned threads, const abi::Ident* where,
                           const void* data, abi::Combine combine);

// The size of the groups in which one thread combines for all. More groups cost more barriers; but where a single
// combination takes long (large arrays), groups are pairs, which combine at the same time.
inline constexpr unsigned kFewCombinedByOne = 2;
inline constexpr unsigned kManyCombinedByOne = 8;
inline constexpr std::uint64_t kLongCombinationNs = 1000;

// Combines the data of threads first, first + step, first + 2 step... below `end` into the first's,
// in pairs. `step` and, unless it is the team's, `end - first` are powers of two, so that groups of
// any size form the same tree.
template <class DataOf>
void combine_group(DataOf&& data_of, unsigned first, unsigned step, unsigned end,
                   abi::Combine combine) {
  for (unsigned apart = step; apart < end - first; apart *= 2) {
    for (unsigned into = first; into + apart < end; into += 2 * apart) {
      combine(data_of(into), data_of(into + apart));
    }
  }
}

}  // namespace muster
