// Spinning for a time that is known beforehand, then blocking: what `<n>us` does with the user's
// own figure, and what the policies that take theirs from CS are made of. Peter et al. (section 3)
// use 50 us, enough to pass their barrier without blocking when the work is balanced.
#pragma once

#include "platform/native_memory.h"
#include "waiting/waiting_policy.h"

namespace muster {

// Polls until done() holds (true) or `budget_ns` have passed since start_ns (false).
template <class Memory, class Done>
bool spin_for(std::uint64_t budget_ns, std::uint64_t start_ns, Done&& done) {
  // A pause takes 3 ns on one CPU and 47 on the next, so the budget is time, not a count; the clock
  // is read rarely enough that most polls look at the condition.
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
  explicit FixedTime(const WaitParameters& parameters) : FixedTime(parameters.fixed_ns) {}

  static constexpr bool kUsesRoster = false;
  bool quick_polls() const { return budget_ns_ > 0; }  // 0us is `block`
  bool spins_first() const { return budget_ns_ > 0; }
  std::uint64_t budget_ns() const { return budget_ns_; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) const {
    return budget_ns_ > 0 && spin_for<Memory>(budget_ns_, wait.start_ns, done);
  }

 protected:
  explicit FixedTime(std::uint64_t budget_ns) : budget_ns_(budget_ns) {}

 private:
  const std::uint64_t budget_ns_;
};

static_assert(WaitingPolicy<FixedTime, NativeMemory>);

}  // namespace muster
