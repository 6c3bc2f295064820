// The counter of sections 3.1 and 3.4: the team's size, decreased by each thread with fetch-and-add.
#pragma once

#include "barriers/counted_add.h"
#include "barriers/layout.h"

namespace muster::published {

template <class Memory>
struct alignas(kCoherenceGranule) CentralCounter {
  using Count = typename Memory::template Atomic<std::uint32_t>;

  explicit CentralCounter(unsigned team) : left(team) {}

  // The paper's loop of lwarx and stwcx. True: this was the last thread.
  bool decrease() {
    constexpr std::uint32_t kMinusOne = ~std::uint32_t{0};
    std::uint32_t before = 0;
    if constexpr (Reserves<Count>) {
      while (!left.template reserved_add<std::memory_order_acq_rel>(kMinusOne, before)) continue;
    } else {
      before = left.fetch_add(kMinusOne, std::memory_order_acq_rel);
    }
    return before == 1;
  }
  void wait_for_zero() const {
    while (left.load(std::memory_order_acquire) != 0) continue;
  }
  void set_back(unsigned team) { left.store(team, std::memory_order_relaxed); }

  Count left;
};

}  // namespace muster::published
