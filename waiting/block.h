// `block`: block at once, Tsafrir & Feitelson's AB ("always block"). Each wait costs two context switches and takes no
// CPU time from others. Some thread sleeps at every instance, so a full fence per release is cheaper: with membarrier
// each sleeper would interrupt every teammate that runs.
#pragma once

#include "platform/native_memory.h"
#include "waiting/waiting_policy.h"

namespace muster {

class Block {
 public:
  explicit Block(const WaitParameters&) {}
  static constexpr bool kUsesArrivals = false;
  static constexpr bool kFencesFully = true;
  static bool quick_polls() { return false; }
  static bool spins_first() { return false; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>&, Done&&) {
    return false;
  }
};

static_assert(WaitingPolicy<Block, NativeMemory>);

}  // namespace muster
