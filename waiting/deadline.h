// Deadlines that survive a clock that jumps. The monotonic clock is not to go back, but a virtual
// machine or a checkpoint that is restored elsewhere may bring an earlier one; a plain comparison
// would then hold for as long as the clock went back.
#pragma once

#include <cstdint>

namespace muster {

// Whether `until_ns` is yet to come. Whoever set it was at most `longest_ns` before it; so one that
// is further ahead was set by another clock and counts as past. The slack is for callers whose
// `now_ns` is not quite new. All in ns.
constexpr bool is_ahead(std::uint64_t until_ns, std::uint64_t now_ns, std::uint64_t longest_ns) {
  constexpr std::uint64_t kSlackNs = 1'000'000'000;
  return until_ns - now_ns - 1 < longest_ns + kSlackNs;
}

}  // namespace muster
