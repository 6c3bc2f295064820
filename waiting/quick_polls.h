// The first part of every wait, under any policy: a few polls that cost less than a clock read.
#pragma once

namespace muster {

// Together they last for over half a microsecond, as long as the wait between two small parallel regions; where a pause
// takes 30 ns, for 3 us.
inline constexpr unsigned kBarePolls = 64;
inline constexpr unsigned kPausedPolls = 96;

// Whether holds() becomes true within them. The first polls have no pause between them: on an idle machine the release
// is one line transfer away, and a pause could take longer than that.
template <class Memory, class Condition>
bool holds_soon(Condition&& holds) {
  for (unsigned poll = 0; poll < kBarePolls; ++poll) {
    if (holds()) return true;
  }
  for (unsigned poll = 0; poll < kPausedPolls; ++poll) {
    Memory::pause();
    if (holds()) return true;
  }
  return false;
}

}  // namespace muster
