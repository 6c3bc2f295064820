// What a thread weighs in Linux' fair schedulers, by its niceness from -20: each step is about 10 % of the processor
// between two threads (setpriority(2)).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace muster::smp {

inline constexpr std::array<std::int64_t, 40> kWeights = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15};

inline std::int64_t weight_of(int nice) {
  return kWeights[static_cast<unsigned>(std::clamp(nice, -20, 19) + 20)];
}

}  // namespace muster::smp
