// `conditional`: conditional two-phase waiting. Spin for S_base in any case, then on for as long as arrivals keep
// coming: at least one within the last S_cond.
//
// Derivation (Arpaci-Dusseau & Culler, sections 3.3 and 3.4): S_base is the duration of the operation when all
// cooperating threads run, or are scheduled by it: 2L + 2o + W. In shared memory the messages (2L + 2o, a few line
// transfers) are negligible compared with W, the time to wake and schedule a thread, so S_base = W here. Spinning on
// costs t until the next message. Blocking instead costs sender and receiver 3W + 2o together. So spinning on pays
// while messages are at most S_cond = 3W apart. In their clusters a message is a request to be served; at a barrier it
// is the arrival of a teammate.
#pragma once

#include "platform/native_memory.h"
#include "waiting/fixed_time.h"

namespace muster {

class Conditional {
 public:
  explicit Conditional(const WaitParameters& parameters)
      : base_ns_(parameters.wake_ns), conditional_ns_(3 * parameters.wake_ns) {}

  static constexpr bool kUsesArrivals = true;
  static bool records_arrivals() { return true; }
  static bool quick_polls() { return true; }
  static bool spins_first() { return true; }
  std::uint64_t base_ns() const { return base_ns_; }
  std::uint64_t conditional_ns() const { return conditional_ns_; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) const {
    unsigned seen = wait.arrivals.arrived(wait.episode);
    if (spin_for<Memory>(base_ns_, wait.start_ns, done)) return true;
    for (std::uint64_t last_ns = Memory::now_ns();;) {
      const unsigned arrived = wait.arrivals.arrived(wait.episode);
      if (arrived == seen) return false;  // none in the last interval: the baseline, or S_cond
      seen = arrived;
      if (spin_for<Memory>(conditional_ns_, last_ns, done)) return true;
      last_ns = Memory::now_ns();
    }
  }

 private:
  const std::uint64_t base_ns_;
  const std::uint64_t conditional_ns_;
};

static_assert(WaitingPolicy<Conditional, NativeMemory>);

}  // namespace muster
