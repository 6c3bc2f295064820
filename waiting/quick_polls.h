// What every wait begins with, whatever its policy: some looks that cost less than a clock read.
#pragma once

namespace muster {

// Together long enough for the wait between two small parallel regions, over half a microsecond.
inline constexpr unsigned kBarePolls = 64;
inline constexpr unsigned kPausedPolls = 96;

// Whether holds() becomes true within well below a microsecond. The first polls follow each other
// without a pause: on an idle machine the release is one line crossing away, and a pause could take
// longer than that.
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
