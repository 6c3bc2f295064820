// The number of a barrier instance: a team's first barrier is episode 1, and numbers are never reused.
#pragma once

#include <cstdint>

namespace muster {

using Episode = std::uint64_t;

inline constexpr Episode kNoEpisode = 0;

}  // namespace muster
