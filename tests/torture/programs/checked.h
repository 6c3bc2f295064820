// What the steps of a torture program share: random numbers from a seed, and how an error ends the run.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace torture {

// xorshift64*. One object a thread.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DU;
  }
  // In [low, high].
  int between(int low, int high) {
    return low + static_cast<int>((next() >> 33) % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }

 private:
  std::uint64_t state_;
};

// A wrong value ends the process at once: what follows would only hide the cause.
inline void expect(bool holds, const char* what, long got, long wanted) {
  if (holds) return;
  std::fprintf(stderr, "torture: %s: %ld, not %ld\n", what, got, wanted);
  _exit(1);
}
inline void expect_equal(const char* what, long got, long wanted) {
  expect(got == wanted, what, got, wanted);
}

}  // namespace torture
