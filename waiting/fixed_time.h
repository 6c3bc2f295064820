// `cs`, `cs+`, `2cs+` and `<n>us`: spin for a fixed time, then block.
//
// Spinning as long as a context switch costs (CS) is 2-competitive: it never takes more than twice
// what the best choice in hindsight would have taken. Tsafrir & Feitelson (section 4.2) add to it:
// the last thread to arrive must wake the others one after another, so waits are longer than CS
// even when all run (CS+ = 1.2 CS); and a teammate that was switched out at its turn needs one more
// switch before it can arrive (2CS+ = 2.2 CS), which wins over the whole range of loads (their
// Figure 5). Peter et al. (section 3) use a fixed 50 us.
#pragma once

#include "platform/native_memory.h"
#include "waiting/waiting_policy.h"

namespace muster {

// The factors, in tenths of CS.
inline constexpr std::uint64_t kCsTenths = 10;
inline constexpr std::uint64_t kCsPlusTenths = 12;
inline constexpr std::uint64_t kTwoCsPlusTenths = 22;

class FixedTime {
 public:
  explicit FixedTime(const WaitParameters& parameters) : budget_ns_(parameters.budget_ns) {}
  bool quick_polls() const { return budget_ns_ > 0; }  // 0us is `block`
  bool spins_first() const { return budget_ns_ > 0; }

  template <class Memory, class Done>
  bool spin(std::uint64_t start_ns, Done&& done, WaitStats&) const {
    if (budget_ns_ == 0) return false;
    for (;;) {
      for (unsigned poll = 0; poll < kPollsPerClockRead; ++poll) {
        if (done()) return true;
        Memory::pause();
      }
      if (Memory::now_ns() - start_ns >= budget_ns_) return false;
    }
  }

 private:
  // A pause takes 3 ns on one CPU and 47 on the next, so the budget is time, not a count; the clock
  // is read rarely enough that most polls look at the condition.
  static constexpr unsigned kPollsPerClockRead = 16;

  const std::uint64_t budget_ns_;
};

static_assert(WaitingPolicy<FixedTime, NativeMemory>);

}  // namespace muster
