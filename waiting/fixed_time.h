// Spinning for a time that is known in advance, then blocking. `<n>us` takes it from the user: Peter et al. (section 3)
// use 50 us, enough to pass their barrier without blocking when the work is balanced. Five policies derive it from the
// cost of a context switch, CS:
//
//   cs           1.000 CS  Blocking costs CS. Spinning that long first costs at most twice the best choice in
//                          hindsight, and no deterministic rule does better. Tsafrir & Feitelson, section 1, after
//                          Karlin et al. 1990.
//   cs+          1.200 CS  The last to arrive wakes the sleepers, who need CS to run again. It then computes up to the
//                          next barrier, where it spins. With exactly CS the others arrive just as it gives up;
//                          slightly more keeps both groups running together. Tsafrir & Feitelson, section 4.2.
//   2cs+         2.200 CS  A teammate that had just decided to block when it was woken must finish blocking and be
//                          scheduled again, two switches, before it can compute and arrive. Spinning for that long
//                          keeps all threads of a fine-grained job scheduled together over the whole range of loads.
//                          Section 4.2, Figures 5 and 7.
//   exponential  0.541 CS  ln(e - 1): best where waiting times are exponentially distributed, as at locks with Poisson
//                          arrivals; the expected cost is at most e / (e - 1) = 1.58 times the best in hindsight.
//                          Karlin et al. 1990; Tsafrir & Feitelson, section 1.
//   uniform      0.618 CS  (sqrt(5) - 1) / 2: best where they are uniformly distributed, as at barriers with Poisson
//                          arrivals: at most (sqrt(5) + 1) / 2 = 1.62 times. Lim & Agarwal 1993; Tsafrir & Feitelson,
//                          section 1.
#pragma once

#include "platform/native_memory.h"
#include "waiting/waiting_policy.h"

namespace muster {

// Polls until done() holds (true) or `budget_ns` have passed since start_ns (false).
template <class Memory, class Done>
bool spin_for(std::uint64_t budget_ns, std::uint64_t start_ns, Done&& done) {
  // A pause takes 3 ns on one CPU model and 47 on another, so the budget is a time, not a count. The clock is read
  // rarely enough that most polls check the condition.
  constexpr unsigned kPollsPerClockRead = 16;
  for (;;) {
    for (unsigned poll = 0; poll < kPollsPerClockRead; ++poll) {
      if (done()) return true;
      Memory::pause();
    }
    if (Memory::now_ns() - start_ns >= budget_ns) return false;
  }
}

class FixedTime {
 public:
  explicit FixedTime(const WaitParameters& parameters) : budget_ns_(parameters.fixed_ns) {}

  static constexpr bool kUsesArrivals = false;
  bool quick_polls() const { return budget_ns_ > 0; }  // 0us is `block`
  bool spins_first() const { return budget_ns_ > 0; }
  std::uint64_t budget_ns() const { return budget_ns_; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) const {
    return budget_ns_ > 0 && spin_for<Memory>(budget_ns_, wait.start_ns, done);
  }

 private:
  const std::uint64_t budget_ns_;
};

static_assert(WaitingPolicy<FixedTime, NativeMemory>);

}  // namespace muster
