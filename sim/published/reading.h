// What Zhang et al. leave open about their barriers. The defaults are the text's own words.
#pragma once

#include <cstdint>

namespace muster::published {

// How a thread looks at the elements of a distributed counter.
enum class Scan : std::uint8_t {
  kWhole,       // Algorithm 1: `foreach element do check`, until one pass finds all of them zero
  kFromStart,   // a pass ends at the first element that is not zero
  kFromWaited,  // and the next pass begins there
};

struct Reading {
  // Arrays of a distributed counter, used in turn. Section 3.3 has two; a thread that leaves one sets its element of the
  // other back. A fast thread then finds there the zeros of threads that have not left yet, and passes early: in the
  // model checker (tests/model/published_test.cpp) and in the simulator, where the team gets stuck. So there are three,
  // and the array that is set back is the one that no thread reads any more.
  unsigned sets = 3;
  bool sets_share_lines = false;  // of the padded counter; section 3.3, last paragraph: "we can"
  // "Decrease my own element": a load and a store; false: a store of zero.
  bool loads_first = true;
  Scan scan = Scan::kWhole;
};

}  // namespace muster::published
