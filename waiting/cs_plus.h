// `cs+`: spin for slightly more than a context switch, 1.2 CS.
//
// Derivation: the last to arrive wakes the sleepers, who need CS to run again and then compute to
// the next barrier, where it spins. With a budget of exactly CS they arrive just as it gives up;
// slightly more keeps both groups running together. Tsafrir & Feitelson, section 4.2.
#pragma once

#include "waiting/fixed_time.h"

namespace muster {

class CsPlus : public FixedTime {
 public:
  static constexpr std::uint64_t kThousandthsOfCs = 1200;

  explicit CsPlus(const WaitParameters& parameters)
      : FixedTime(parameters.context_switch_ns * kThousandthsOfCs / 1000) {}
};

static_assert(WaitingPolicy<CsPlus, NativeMemory>);

}  // namespace muster
