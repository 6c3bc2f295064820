// The cheapest load signals: what a thread sees of itself, without a system call.
//
// A thread that spins and reads the clock sees a gap where it was off its CPU: 20 to 30 ns a read,
// which a spin with a budget pays anyway. It tells that somebody took the CPU and for how long, but
// not who; an interrupt or a hypervisor makes gaps, too, so short ones do not count.
#pragma once

#include <cstdint>

namespace muster {

struct OwnGaps {
  // Interrupts take 2 to 10 us, slices of the scheduler 700 us and more.
  static constexpr std::uint64_t kGapNs = 50'000;

  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t longest_ns = 0;

  // Two clock readings, ns, with nothing but polling between them. True if that was a gap; clocks
  // that went back make none.
  bool note(std::uint64_t before_ns, std::uint64_t after_ns) {
    if (after_ns < before_ns || after_ns - before_ns < kGapNs) return false;
    const std::uint64_t gap = after_ns - before_ns;
    ++count;
    total_ns += gap;
    if (gap > longest_ns) longest_ns = gap;
    return true;
  }
};

}  // namespace muster
