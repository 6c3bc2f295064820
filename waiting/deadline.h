// Deadlines that survive a clock that jumps. The monotonic clock must not go back, but a virtual machine or a restored
// checkpoint may bring an earlier one. A plain comparison would then hold for as long as the clock went back.
#pragma once

#include <cstdint>

namespace muster {

// Whether `until_ns` is in the future. It was set at most `longest_ns` ahead, so a deadline further ahead was set by
// another clock and counts as past. The slack is for callers with a slightly old `now_ns`. All in ns.
constexpr bool is_ahead(std::uint64_t until_ns, std::uint64_t now_ns, std::uint64_t longest_ns) {
  constexpr std::uint64_t kSlackNs = 1'000'000'000;
  return until_ns - now_ns - 1 < longest_ns + kSlackNs;
}

}  // namespace muster
