// The machine's part of the world: the effect of a chosen operation. state.h has the rules.
#include "tests/model/world.h"

namespace muster::model {
namespace {

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst || order == std::memory_order_consume;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

}  // namespace

bool World::take(const Choice& choice) {
  to_run_ = 0;
  if (state_.stale_left != kUnlimited && state_.stale_left != 0 && is_stale(choice)) {
    --state_.stale_left;
  }
  if (!perform(choice)) return true;  // a fault, or nothing to run
  return run(choice.thread);
}

// False if the thread has not completed its operation.
bool World::perform(const Choice& choice) {
  const unsigned me = choice.thread;
  ThreadState& self = state_.thread[me];
  Control& control = control_[me];
  const Operation& operation = control.pending;
  const unsigned location = operation.location;
  control.success = true;
  if (choice.way == Way::kNews || choice.way == Way::kNoNews) {
    polls_ = 0;
    poll_key_ = poll_key(me);
    polling_ = choice.way == Way::kNews ? Polling::kToNews : Polling::kToItsEnd;
    remember(me, choice.way == Way::kNews ? 0x1000U + choice.location : 0x2000U);
    if (choice.way == Way::kNews && choice.location == location) {
      polling_ = Polling::kNot;
      control.result = read_message(me, location, choice.position, operation.order, true);
      return true;
    }
    control.result = state_.at(location, self.read[location]).value;
    news_ = choice;
    return true;
  }
  const bool compares_for_nothing =
      choice.way == Way::kFailed &&
      state_.at(location, choice.position).value == operation.expected;
  if (operation.kind != Kind::kLoad) self.polled = 0;
  self.failed_for_nothing = compares_for_nothing;
  const bool ordered = operation.order == std::memory_order_seq_cst;
  switch (operation.kind) {
    case Kind::kNothing:
      break;
    case Kind::kLoad:
      if (ordered) full_fence(me);
      control.result = read_message(me, location, choice.position, operation.order, true);
      break;
    case Kind::kStore:
      if (ordered) full_fence(me);
      insert_message(me, location, choice.position, operation.value, operation.order, false);
      if (ordered) full_fence(me);
      break;
    case Kind::kAdd:
    case Kind::kExchange:
    case Kind::kCompareExchange: {
      if (ordered) full_fence(me);
      const bool fails = choice.way == Way::kFailed;
      const std::memory_order order = fails ? operation.failed : operation.order;
      control.result = read_message(me, location, choice.position, order, false);
      control.success = !fails;
      if (fails) break;
      const std::uint64_t value =
          operation.kind == Kind::kAdd ? control.result + operation.value : operation.value;
      insert_message(me, location, choice.position, value & operation.mask, order, true);
      if (ordered) full_fence(me);
      break;
    }
    case Kind::kWait:
      if (choice.way == Way::kForNothing || choice.way == Way::kTimeOut) {
        if (choice.way == Way::kForNothing) --self.wakes_for_nothing;
        if (choice.way == Way::kTimeOut) {
          end_limited_sleeps();
          break;
        }
        self.status = Status::kReady;
        control.result = 1;
        break;
      }
      read_message(me, location, choice.position, std::memory_order_relaxed, false);
      control.result = 0;
      if (choice.way == Way::kTurnedAway) break;
      self.status = Status::kAsleep;
      self.sleeps_on = operation.location;
      self.limited = operation.limited;
      return false;
    case Kind::kWake:
      state_.kernel.at[location] = std::max(state_.kernel.at[location], self.now.at[location]);
      wake_sleepers(location);
      break;
    case Kind::kRealBarrier: {
      View all = self.acquired;
      for (unsigned i = 0; i < threads_; ++i) all.join(state_.thread[i].acquired);
      for (unsigned i = 0; i < threads_; ++i) {
        state_.thread[i].now = state_.thread[i].acquired = state_.thread[i].released = all;
        to_run_ |= 1U << i;
      }
      break;
    }
    case Kind::kLightFence:
    case Kind::kHeavyFence:
    case Kind::kFullFence:
    case Kind::kAcquireFence:
    case Kind::kReleaseFence:
    case Kind::kDrain:
      control.result = fences(me, operation.kind) ? 1 : 0;
      break;
  }
  return true;
}

std::uint64_t World::read_message(unsigned thread, unsigned location, unsigned position,
                                  std::memory_order order, bool polls) {
  ThreadState& self = state_.thread[thread];
  const Message& message = state_.at(location, position);
  const std::uint64_t bit = std::uint64_t{1} << location;
  if (polls && (self.polled & bit) != 0 && self.read[location] != position) self.polled = 0;
  if (polls) self.polled |= bit;
  self.read[location] = static_cast<Position>(position);
  self.now.at[location] = std::max(self.now.at[location], static_cast<Position>(position));
  self.acquired.join(message.view);
  if (acquires(order)) self.now.join(message.view);
  self.acquired.join(self.now);
  return message.value;
}

// All messages after it move up by one, in every view.
void World::insert_message(unsigned thread, unsigned location, unsigned after, std::uint64_t value,
                           std::memory_order order, bool follows) {
  if (state_.messages() == kMaxMessages || state_.length(location) > 200) {
    fault_ = Fault::kTooMuch;
    fault_text_ = "more than " + std::to_string(kMaxMessages) + " messages";
    return;
  }
  if ((assumed_.writers[location] >> thread & 1) == 0) {
    assumed_.writers[location] |= static_cast<std::uint8_t>(1U << thread);
    assumed_.holds = false;
  }
  const unsigned position = after + 1;
  const bool moves_others = position < state_.length(location);
  Message* place = &state_.message[state_.first[location] + position];
  std::memmove(place + 1, place,
               sizeof(Message) * (state_.messages() - state_.first[location] - position));
  for (unsigned i = location + 1; i <= kMaxLocations; ++i) ++state_.first[i];
  if (moves_others) {
    const auto move = [&](Position& at) {
      if (at >= position) ++at;
    };
    for (ThreadState& other : state_.thread) {
      for (View* view : {&other.now, &other.acquired, &other.released, &other.lightly}) {
        move(view->at[location]);
      }
      move(other.read[location]);
    }
    for (View* view : {&state_.fences, &state_.heavy, &state_.kernel}) move(view->at[location]);
    for (unsigned i = 0; i < state_.messages(); ++i) {
      if (&state_.message[i] != place) move(state_.message[i].view.at[location]);
    }
  }
  ThreadState& self = state_.thread[thread];
  const auto at = static_cast<Position>(position);
  self.now.at[location] = at;
  self.acquired.at[location] = std::max(self.acquired.at[location], at);
  self.read[location] = at;
  std::memset(static_cast<void*>(place), 0, sizeof *place);
  place->value = value;
  place->location = static_cast<std::uint8_t>(location);
  place->follows = follows;
  place->writer = static_cast<std::uint8_t>(thread);
  place->view = releases(order) ? self.now : self.released;
  place->view.at[location] = at;
  if (follows) place->view.join((place - 1)->view);  // a release sequence continues
}

bool World::fences(unsigned thread, Kind kind) {
  ThreadState& self = state_.thread[thread];
  switch (kind) {
    case Kind::kFullFence:
      full_fence(thread);
      return true;
    case Kind::kAcquireFence:
      self.now = self.acquired;
      return true;
    case Kind::kReleaseFence:
      self.released = self.now;
      return true;
    case Kind::kHeavyFence:
      if (!assumed_.heavy_fences) assumed_.holds = false;
      assumed_.heavy_fences = true;
      return heavy_fence(thread);
    case Kind::kLightFence:
      if (mode_ == Fences::kSymmetric) full_fence(thread);
      if (mode_ != Fences::kAsymmetric) return true;
      self.now.see(state_.heavy);
      self.acquired.see(self.now);
      self.lightly.see(self.now);
      return true;
    default:
      return true;
  }
}

void World::full_fence(unsigned thread) {
  ThreadState& self = state_.thread[thread];
  self.now = self.acquired;
  self.now.see(state_.fences);
  state_.fences.see(self.now);
  self.acquired = self.released = self.now;
}

bool World::heavy_fence(unsigned thread) {
  full_fence(thread);
  if (mode_ != Fences::kAsymmetric) return mode_ == Fences::kSymmetric;
  ThreadState& self = state_.thread[thread];
  for (const ThreadState& other : state_.thread) self.now.see(other.lightly);
  state_.heavy.see(self.now);
  state_.fences.see(self.now);
  self.acquired = self.released = self.now;
  return true;
}

void World::wake_sleepers(unsigned location) {
  for (unsigned i = 0; i < threads_; ++i) {
    ThreadState& other = state_.thread[i];
    if (other.status != Status::kAsleep || other.sleeps_on != location) continue;
    other.status = Status::kReady;
    control_[i].result = 1;
    to_run_ |= 1U << i;
  }
}

// A millisecond has passed: all stores are visible by then.
void World::end_limited_sleeps() {
  for (unsigned i = 0; i < threads_; ++i) {
    ThreadState& self = state_.thread[i];
    if (self.status != Status::kAsleep || !self.limited) continue;
    for (unsigned location = 0; location < locations_; ++location) {
      self.now.at[location] = static_cast<Position>(state_.length(location) - 1);
    }
    self.acquired.see(self.now);
    self.status = Status::kReady;
    self.polled = 0;
    control_[i].result = 1;
    to_run_ |= 1U << i;
  }
}

// Messages that no thread can read any more are dropped. For what every thread has seen it does not matter which thread
// saw it first, so states that differ in nothing else become one.
void World::make_canonical() {
  View all;
  std::memset(&all, 0xff, sizeof all);
  bool any = false;
  for (unsigned i = 0; i < threads_; ++i) {
    ThreadState& self = state_.thread[i];
    if (self.status == Status::kDone) {
      const View lightly = self.lightly;
      std::memset(static_cast<void*>(&self), 0, sizeof self);
      self.status = Status::kDone;
      self.lightly = lightly;
      continue;
    }
    any = true;
    for (unsigned l = 0; l < kMaxLocations; ++l) all.at[l] = std::min(all.at[l], self.now.at[l]);
    for (unsigned c = 0; c < 2 * kMaxThreads; ++c) {
      all.clock[c] = std::min(all.clock[c], self.now.clock[c]);
    }
    for (unsigned l = 0; l < kMaxLocations; ++l) {
      if (!is_poll(self, l)) self.polled &= ~(std::uint64_t{1} << l);
      if ((self.polled >> l & 1) == 0 && mutation_.change != Change::kBlindRecheck) {
        self.read[l] = 0;
      }
    }
    if (self.status != Status::kAsleep) self.sleeps_on = self.limited = false;
  }
  if (!any) return;
  bool drops = false;
  for (unsigned l = 0; l < kMaxLocations; ++l) drops |= all.at[l] != 0;
  const auto settle = [&](View& view, bool counts) {
    for (unsigned l = 0; drops && l < kMaxLocations; ++l) {
      view.at[l] = static_cast<Position>(std::max(view.at[l], all.at[l]) - all.at[l]);
    }
    for (unsigned c = 0; counts && c < 2 * kMaxThreads; ++c) {
      view.clock[c] = std::max(view.clock[c], all.clock[c]);
    }
  };
  for (unsigned i = 0; i < threads_; ++i) {
    ThreadState& self = state_.thread[i];
    settle(self.lightly, false);
    if (self.status == Status::kDone) continue;
    for (View* view : {&self.now, &self.acquired, &self.released}) settle(*view, true);
    for (unsigned l = 0; l < kMaxLocations; ++l) {
      self.read[l] = static_cast<Position>(std::max(self.read[l], all.at[l]) - all.at[l]);
    }
  }
  for (View* view : {&state_.fences, &state_.heavy, &state_.kernel}) settle(*view, false);
  unsigned kept = 0;
  for (unsigned l = 0; l < kMaxLocations; ++l) {
    const unsigned begin = state_.first[l];
    const unsigned end = l + 1 <= kMaxLocations ? state_.first[l + 1] : begin;
    const unsigned from = l < locations_ ? begin + all.at[l] : begin;
    const unsigned first = kept;
    for (unsigned i = from; i < end; ++i) {
      if (kept != i) state_.message[kept] = state_.message[i];
      settle(state_.message[kept].view, true);
      ++kept;
    }
    if (first < kept) state_.message[first].follows = false;
    state_.first[l] = static_cast<std::uint16_t>(first);
  }
  state_.first[kMaxLocations] = static_cast<std::uint16_t>(kept);
}

}  // namespace muster::model
