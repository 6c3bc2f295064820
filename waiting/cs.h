// `cs`: spin as long as a context switch costs, then block.
//
// Derivation: blocking costs CS. If the wait turns out shorter than CS, spinning was the best choice
// in hindsight; if longer, spinning CS and then blocking took at most CS more than blocking at once.
// So the cost is never above twice that of the best choice in hindsight (2-competitive), and no
// deterministic rule does better. Tsafrir & Feitelson, section 1, after Karlin et al. 1990.
#pragma once

#include "waiting/fixed_time.h"

namespace muster {

class Cs : public FixedTime {
 public:
  static constexpr std::uint64_t kThousandthsOfCs = 1000;

  explicit Cs(const WaitParameters& parameters)
      : FixedTime(parameters.context_switch_ns * kThousandthsOfCs / 1000) {}
};

static_assert(WaitingPolicy<Cs, NativeMemory>);

}  // namespace muster
