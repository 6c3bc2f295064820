// A set of processors as a bitmap.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/smp/task.h"

namespace muster::smp {

class ProcessorSet {
 public:
  explicit ProcessorSet(unsigned size = 0) : words_((size + 63) / 64) {}

  bool has(unsigned one) const { return (words_[one / 64] >> one % 64 & 1) != 0; }
  void add(unsigned one) {
    count_ += !has(one);
    words_[one / 64] |= std::uint64_t{1} << one % 64;
  }
  void remove(unsigned one) {
    count_ -= has(one);
    words_[one / 64] &= ~(std::uint64_t{1} << one % 64);
  }
  unsigned count() const { return count_; }

  // The first from `begin` on and before `end`; kNoProcessor: none.
  unsigned first(unsigned begin, unsigned end) const {
    while (begin < end) {
      const std::uint64_t rest = words_[begin / 64] >> begin % 64;
      if (rest != 0) {
        const unsigned found = begin + static_cast<unsigned>(std::countr_zero(rest));
        return found < end ? found : kNoProcessor;
      }
      begin = (begin / 64 + 1) * 64;
    }
    return kNoProcessor;
  }

 private:
  std::vector<std::uint64_t> words_;
  unsigned count_ = 0;
};

}  // namespace muster::smp
