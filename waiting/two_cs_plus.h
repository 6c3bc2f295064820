// `2cs+`: spin for slightly more than two context switches, 2.2 CS.
//
// Derivation: a teammate that had only just decided to block when it was woken must first finish
// blocking and then be scheduled again, two switches, before it can compute and arrive. Spinning
// through that lets a fine-grain job keep all its threads scheduled together over the whole range of
// loads: their best policy. Tsafrir & Feitelson, section 4.2 and Figures 5 and 7.
#pragma once

#include "waiting/fixed_time.h"

namespace muster {

class TwoCsPlus : public FixedTime {
 public:
  static constexpr std::uint64_t kThousandthsOfCs = 2200;

  explicit TwoCsPlus(const WaitParameters& parameters)
      : FixedTime(parameters.context_switch_ns * kThousandthsOfCs / 1000) {}
};

static_assert(WaitingPolicy<TwoCsPlus, NativeMemory>);

}  // namespace muster
