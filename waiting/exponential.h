// `exponential`: spin for ln(e - 1) = 0.541 CS, then block.
//
// Derivation: the best budget when waiting times are exponentially distributed, as those at locks
// with Poisson arrivals are; the expected cost is then at most e / (e - 1) = 1.58 times that of the
// best choice in hindsight. Karlin et al. 1990; Tsafrir & Feitelson, section 1.
#pragma once

#include "waiting/fixed_time.h"

namespace muster {

class Exponential : public FixedTime {
 public:
  static constexpr std::uint64_t kThousandthsOfCs = 541;

  explicit Exponential(const WaitParameters& parameters)
      : FixedTime(parameters.context_switch_ns * kThousandthsOfCs / 1000) {}
};

static_assert(WaitingPolicy<Exponential, NativeMemory>);

}  // namespace muster
