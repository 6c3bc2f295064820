// `uniform`: spin for (sqrt(5) - 1) / 2 = 0.618 CS, then block.
//
// Derivation: the best budget when waiting times are uniformly distributed, as those at barriers with
// Poisson arrivals are: the expected cost is at most (sqrt(5) + 1) / 2 = 1.62 times the best in
// hindsight. Lim & Agarwal 1993; Tsafrir & Feitelson, section 1.
#pragma once

#include "waiting/fixed_time.h"

namespace muster {

class Uniform : public FixedTime {
 public:
  static constexpr std::uint64_t kThousandthsOfCs = 618;

  explicit Uniform(const WaitParameters& parameters)
      : FixedTime(parameters.context_switch_ns * kThousandthsOfCs / 1000) {}
};

static_assert(WaitingPolicy<Uniform, NativeMemory>);

}  // namespace muster
