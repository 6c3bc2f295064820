// `random`: spin for a random time of at most CS, then block.
//
// Derivation: against an adversary who does not know the draw, a budget x CS with x in [0, 1] drawn from the density
// e^x / (e - 1) has an expected cost of at most e / (e - 1) = 1.58 times the best choice in hindsight. That is less
// than the factor 2 of any fixed budget, and no distribution does better. Karlin et al. 1990; Tsafrir & Feitelson,
// section 1.
//
// With y = 1 - x the density is that of an exponential variable cut off at 1. Von Neumann's method draws it by
// comparisons alone, without a logarithm: draw uniform numbers while they decrease; if the decreasing run has odd
// length, y is its first number, otherwise start again.
#pragma once

#include "platform/native_memory.h"
#include "waiting/fixed_time.h"

namespace muster {

// A stream of well mixed numbers from a seed (Steele, Lea & Flood 2014, "splitmix").
class MixedNumbers {
 public:
  explicit MixedNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint32_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }

 private:
  std::uint64_t state_;
};

class Random {
 public:
  explicit Random(const WaitParameters& parameters)
      : context_switch_ns_(parameters.context_switch_ns) {}

  static constexpr bool kUsesArrivals = false;
  static bool quick_polls() { return true; }
  static bool spins_first() { return true; }

  template <class Memory, class Done>
  bool spin(const Wait<Memory>& wait, Done&& done) const {
    // A different seed for each thread and instance: teammates must not draw the same number.
    MixedNumbers numbers(wait.start_ns ^ wait.episode << 20 ^ std::uint64_t{wait.me} << 52);
    return spin_for<Memory>(draw_ns(numbers), wait.start_ns, done);
  }

  // Draws one budget, in ns.
  std::uint64_t draw_ns(MixedNumbers& numbers) const {
    for (;;) {
      const std::uint32_t first = numbers.next();
      std::uint32_t last = first;
      unsigned length = 1;
      for (std::uint32_t x = numbers.next(); x < last; x = numbers.next()) {
        last = x;
        ++length;
      }
      if (length % 2 == 1) return context_switch_ns_ * (~first >> 8) >> 24;
    }
  }

 private:
  const std::uint64_t context_switch_ns_;
};

static_assert(WaitingPolicy<Random, NativeMemory>);

}  // namespace muster
