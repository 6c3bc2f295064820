// Bytes in memory, an element a thread, in one or more sets: packed, or each element on a line of its own.
#pragma once

#include <new>
#include <stdexcept>

#include "barriers/layout.h"
#include "sim/published/reading.h"

namespace muster::published {

template <class Memory>
class Elements {
 public:
  using Element = typename Memory::template Atomic<std::uint8_t>;

  struct Shape {
    unsigned team = 1;
    unsigned sets = 1;
    std::size_t line = 0;
    bool padded = true;
    bool sets_share_lines = false;
  };

  explicit Elements(const Shape& shape)
      : team_(shape.team),
        stride_(shape.padded ? shape.line : sizeof(Element)),
        set_(shape.sets_share_lines && shape.padded ? sizeof(Element)
                                                    : round_up(team_ * stride_, shape.line)) {
    const std::size_t bytes = shape.sets * round_up(team_ * stride_, shape.line);
    if (!arena_.reserve(bytes + shape.line)) throw std::runtime_error("no memory for the team");
    begin_ = static_cast<std::byte*>(arena_.take(bytes, shape.line));
    for (unsigned set = 0; set < shape.sets; ++set) {
      for (unsigned i = 0; i < team_; ++i) ::new (place(set, i)) Element(1);
    }
  }

  Element& at(unsigned set, unsigned i) const {
    return *std::launder(static_cast<Element*>(place(set, i)));
  }

  void decrease(unsigned set, unsigned i, bool loads_first) const {
    Element& mine = at(set, i);
    const int before = loads_first ? mine.load(std::memory_order_relaxed) : 1;
    mine.store(static_cast<std::uint8_t>(before - 1), std::memory_order_release);
  }
  void wait_for_zeros(unsigned set, Scan scan) const {
    unsigned next = 0;
    while (!all_are_zero(set, scan, next)) continue;
  }
  void wait_for_zero(unsigned set, unsigned i) const {
    while (at(set, i).load(std::memory_order_acquire) != 0) continue;
  }
  // The orders: whoever decreases an element next has been released since it was set back.
  void set_back(unsigned set, unsigned i) const { at(set, i).store(1, std::memory_order_relaxed); }

 private:
  static std::size_t round_up(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
  }
  void* place(unsigned set, unsigned i) const { return begin_ + set * set_ + i * stride_; }

  bool all_are_zero(unsigned set, Scan scan, unsigned& next) const {
    if (scan != Scan::kFromWaited) next = 0;
    bool all = true;
    for (; next < team_; ++next) {
      if (at(set, next).load(std::memory_order_acquire) == 0) continue;
      all = false;
      if (scan != Scan::kWhole) return false;
    }
    return all;
  }

  const unsigned team_;
  const std::size_t stride_;
  const std::size_t set_;
  Arena arena_;
  std::byte* begin_ = nullptr;
};

}  // namespace muster::published
