// A set of CPUs as plain words, as the page has it: up to 1,024.
#pragma once

#include <bit>
#include <cstdint>

namespace muster {

struct CpuSet {
  static constexpr unsigned kWords = 16;
  static constexpr unsigned kMostCpus = 64 * kWords;

  std::uint64_t words[kWords] = {};

  static constexpr CpuSet first(unsigned cpus) {
    CpuSet out;
    for (unsigned cpu = 0; cpu < cpus && cpu < kMostCpus; ++cpu) out.add(cpu);
    return out;
  }
  constexpr void add(unsigned cpu) {
    if (cpu < kMostCpus) words[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
  }
  constexpr unsigned count() const {
    unsigned sum = 0;
    for (const std::uint64_t word : words) sum += static_cast<unsigned>(std::popcount(word));
    return sum;
  }
  constexpr bool operator==(const CpuSet&) const = default;

  // Calls visit(cpu) for each of them.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (unsigned i = 0; i < kWords; ++i) {
      for (std::uint64_t rest = words[i]; rest != 0; rest &= rest - 1)
        visit(64 * i + static_cast<unsigned>(std::countr_zero(rest)));
    }
  }
};

}  // namespace muster
