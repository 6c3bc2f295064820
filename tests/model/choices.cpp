// What each thread's next operation may do under the rules of state.h.
#include "tests/model/world.h"

namespace muster::model {

// The oldest message that the thread may read. Sequentially consistent accesses count as accesses with a fence before
// them (and after them, if they store).
Position World::floor(unsigned thread, unsigned location, std::memory_order order) const {
  const ThreadState& self = state_.thread[thread];
  Position out = self.now.at[location];
  if (order == std::memory_order_seq_cst) {
    out = std::max({out, self.acquired.at[location], state_.fences.at[location]});
  }
  return out;
}

void World::choices(std::vector<Choice>& out, bool time_passes) {
  const std::size_t begin = out.size();
  for (unsigned i = 0; i < threads_; ++i) choices_of(i, out, time_passes);
  if (state_.stale_left != 0) return;
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(begin);
  out.erase(std::remove_if(first, out.end(), [&](const Choice& c) { return is_stale(c); }),
            out.end());
}

// Whether a message other than the newest is read, or a store does not become the newest.
bool World::is_stale(const Choice& choice) const {
  if (choice.way == Way::kForNothing || choice.way == Way::kTimeOut) return false;
  if (choice.way == Way::kNoNews) {
    const ThreadState& self = state_.thread[choice.thread];
    for (unsigned location = 0; location < locations_; ++location) {
      if (is_poll(self, location) && self.now.at[location] + 1U < state_.length(location)) {
        return true;
      }
    }
    return false;
  }
  const Kind kind = control_[choice.thread].pending.kind;
  const bool accesses =
      (kind >= Kind::kLoad && kind <= Kind::kCompareExchange) || kind == Kind::kWait;
  return accesses && choice.position + 1U < state_.length(choice.location);
}

// A word that no other thread writes always has the same value for its writer, and its readers cannot tell when it was
// written, only that it was. A light fence has no effect if there are no heavy ones.
bool World::lonely(Choice& out) const {
  for (unsigned i = 0; i < threads_; ++i) {
    const ThreadState& self = state_.thread[i];
    const Operation& operation = control_[i].pending;
    if (self.status != Status::kReady || operation.order == std::memory_order_seq_cst) {
      const bool light =
          self.status == Status::kReady && operation.kind == Kind::kLightFence &&
          (mode_ == Fences::kRefused || (mode_ == Fences::kAsymmetric && !assumed_.heavy_fences));
      if (!light) continue;
      out = {static_cast<std::uint8_t>(i), Way::kPlain, 0, 0};
      return true;
    }
    const bool plain = operation.kind == Kind::kLoad || operation.kind == Kind::kStore;
    if (!plain || (assumed_.writers[operation.location] & ~(1U << i)) != 0) continue;
    if (operation.kind == Kind::kLoad && is_poll(self, operation.location)) continue;
    out = {static_cast<std::uint8_t>(i), Way::kPlain, operation.location,
           static_cast<Position>(state_.length(operation.location) - 1)};
    return true;
  }
  return false;
}

void World::choices_of(unsigned thread, std::vector<Choice>& out, bool time_passes) {
  const ThreadState& self = state_.thread[thread];
  const Operation& operation = control_[thread].pending;
  const unsigned location = operation.location;
  Choice choice{static_cast<std::uint8_t>(thread), Way::kPlain, operation.location, 0};
  const auto add = [&](Way way, unsigned position) {
    choice.way = way;
    choice.position = static_cast<Position>(position);
    out.push_back(choice);
  };
  if (self.status == Status::kDone) return;
  if (self.status == Status::kAsleep) {
    if (self.wakes_for_nothing > 0) add(Way::kForNothing, 0);
    // One represents all, which then continue in any order.
    bool first = true;
    for (unsigned i = 0; i < thread; ++i) {
      if (state_.thread[i].status == Status::kAsleep && state_.thread[i].limited) first = false;
    }
    if (time_passes && self.limited && first) add(Way::kTimeOut, 0);
    return;
  }
  if (time_passes) return;
  const unsigned length = state_.length(location);
  const unsigned begin = floor(thread, location, operation.order);
  const auto open_after = [&](unsigned position) {
    return position + 1 == length || !state_.at(location, position + 1).follows;
  };
  switch (operation.kind) {
    case Kind::kNothing:
      return;
    case Kind::kLoad:
      if (operation.order != std::memory_order_seq_cst && is_poll(self, location)) {
        const auto known = endless_.find(poll_key(thread));
        if (known == endless_.end() || !known->second) add(Way::kNoNews, begin);
        news(thread, out);
        return;
      }
      for (unsigned at = begin; at < length; ++at) add(Way::kPlain, at);
      return;
    case Kind::kStore:
    case Kind::kAdd:
    case Kind::kExchange:
      for (unsigned at = begin; at < length; ++at) {
        if (open_after(at)) add(Way::kPlain, at);
      }
      return;
    case Kind::kCompareExchange:
      for (unsigned at = begin; at < length; ++at) {
        const bool equal = state_.at(location, at).value == operation.expected;
        if (equal && open_after(at)) add(Way::kPlain, at);
        if (!equal || !self.failed_for_nothing) add(Way::kFailed, at);
      }
      return;
    case Kind::kWait: {
      const bool compares =
          operation.site != mutation_.site || mutation_.change != Change::kNoComparison;
      // What a wake has seen, a later wait sees, since the kernel orders the two by a lock.
      const unsigned from = std::max<unsigned>(begin, state_.kernel.at[location]);
      for (unsigned at = from; at < length; ++at) {
        const bool equal = state_.at(location, at).value == operation.expected;
        add(equal || !compares ? Way::kSleep : Way::kTurnedAway, at);
      }
      return;
    }
    case Kind::kRealBarrier:
      for (unsigned i = 0; i < threads_; ++i) {
        const bool there = state_.thread[i].status == Status::kReady &&
                           control_[i].pending.kind == Kind::kRealBarrier;
        if (!there || i < thread) return;  // the first one represents all
      }
      add(Way::kPlain, 0);
      return;
    case Kind::kLightFence:
    case Kind::kHeavyFence:
    case Kind::kFullFence:
    case Kind::kAcquireFence:
    case Kind::kReleaseFence:
    case Kind::kDrain:
    case Kind::kWake:
      add(Way::kPlain, 0);
      return;
  }
}

// A poll that would read the same value again is postponed until any of the words that the loop polls has a new value.
void World::news(unsigned thread, std::vector<Choice>& out) {
  const ThreadState& self = state_.thread[thread];
  for (unsigned location = 0; location < locations_; ++location) {
    if (!is_poll(self, location)) continue;
    for (unsigned at = self.now.at[location] + 1U; at < state_.length(location); ++at) {
      out.push_back({static_cast<std::uint8_t>(thread), Way::kNews,
                     static_cast<std::uint8_t>(location), static_cast<Position>(at)});
    }
  }
}

}  // namespace muster::model
