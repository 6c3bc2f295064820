#include "tests/support/simulated_threads.h"

#include <algorithm>
#include <utility>

namespace muster::test {
namespace {

// For first_step(), which can be handed no pointer.
SimulatedThreads* g_starting = nullptr;

}  // namespace

SimulatedThreads::End SimulatedThreads::run(unsigned count, std::uint64_t seed,
                                            const std::function<void(unsigned)>& body,
                                            const Schedule& schedule) {
  if (threads_.size() < count) threads_ = std::vector<Thread>(count);
  team_ = count;
  for (unsigned i = 0; i < count; ++i) {
    Thread& thread = threads_[i];
    if (thread.stack == nullptr) thread.stack = std::make_unique<char[]>(kStackBytes);
    getcontext(&thread.first_place);
    thread.first_place.uc_stack.ss_sp = thread.stack.get();
    thread.first_place.uc_stack.ss_size = kStackBytes;
    thread.first_place.uc_link = nullptr;
    makecontext(&thread.first_place, &first_step, 0);
    thread.number = i;
    thread.cpu = i % kCpus;
    thread.done = thread.started = false;
    thread.due_ns = 0;
    thread.asleep_on = nullptr;
    thread.polled = 0;
    thread.buffer.drop();
  }
  body_ = body;
  numbers_ = MixedNumbers(seed);
  schedule_ = schedule;
  now_ns_ = 1'000'000'000;
  jumped_ns_ = 0;
  writes_ = 1;
  has_pollers_ = false;
  steps_left_ = steps_granted_ = 1;
  polls_ = 0;
  idle_turns_ = 0;
  if (schedule_.depth != 0) begin_window();
  g_starting = this;
  if (_setjmp(home_) == 0) switch_to(*pick());
  return end_;
}

void SimulatedThreads::first_step() {
  SimulatedThreads& self = *g_starting;
  self.begin_turn();
  self.body_(self.running_->number);
  self.running_->buffer.drain();
  self.running_->done = true;
  self.switch_away();
}

void SimulatedThreads::begin_turn() {
  if (schedule_.depth != 0) {
    look_who_is_next();
    plan_turn();
    if (++idle_turns_ > kMostIdleTurns) stop(End::kNoProgress);
    return;
  }
  constexpr unsigned kLongest[] = {4, 32, 128, 512};  // powers of two
  const std::uint32_t drawn = draw();
  steps_left_ = 1 + (drawn >> 2 & (kLongest[drawn & 3] - 1));
  look_who_is_next();
  if (++idle_turns_ > kMostIdleTurns) stop(End::kNoProgress);
}

void SimulatedThreads::preempt() {
  if (schedule_.depth != 0) {
    pass_steps();
    return switch_away();
  }
  if (one_in(kTurnsPerCompetitor)) {
    running_->due_ns = now_ns_ + kCompetitorSliceNs;
  } else if (!another_can_run_ && next_event_ns_ > now_ns_) {
    if ((draw() & 1) != 0) running_->buffer.drain();
    begin_turn();
    return;
  }
  switch_away();
}

void SimulatedThreads::look_who_is_next() {
  another_can_run_ = false;
  next_event_ns_ = kNever;
  for (unsigned i = 0; i < team_; ++i) {
    const Thread& other = threads_[i];
    if (&other == running_ || other.done) continue;
    if (other.due_ns <= now_ns_) {
      another_can_run_ = true;
    } else if (other.due_ns < next_event_ns_) {
      next_event_ns_ = other.due_ns;
    }
  }
}

// Stores may stay invisible for more than one turn, but not without a limit.
void SimulatedThreads::switch_away() {
  if (schedule_.depth != 0) pass_steps();
  const std::uint32_t drawn = draw();
  if ((drawn & 1) != 0) running_->buffer.drain();
  if ((drawn >> 1) % 16 == 0) running_->cpu = (drawn >> 8) % kCpus;
  Thread* next = pick();
  if (next == nullptr) {
    bool done = true;
    for (unsigned i = 0; i < team_; ++i) done = done && threads_[i].done;
    stop(done ? End::kDone : End::kAllAsleep);
  }
  if (next != running_) switch_to(*next);
  begin_turn();
}

void SimulatedThreads::switch_to(Thread& next) {
  Thread* last = running_;
  running_ = &next;
  if (last != nullptr && _setjmp(last->place) != 0) return;
  if (next.started) _longjmp(next.place, 1);
  next.started = true;
  setcontext(&next.first_place);
}

void SimulatedThreads::stop(End end) {
  end_ = end;
  running_ = nullptr;
  _longjmp(home_, 1);
}

// One of the runnable threads, or the one that is runnable first; null if none ever will be.
SimulatedThreads::Thread* SimulatedThreads::pick() {
  if (schedule_.depth != 0) return pick_by_priority();
  const auto from = static_cast<unsigned>((std::uint64_t{draw()} * team_) >> 32);
  Thread* first = nullptr;
  for (unsigned step = 0; step < team_; ++step) {
    Thread& thread = threads_[from + step < team_ ? from + step : from + step - team_];
    if (thread.done || thread.due_ns == kNever) continue;
    if (thread.due_ns <= now_ns_) return &thread;
    if (first == nullptr || thread.due_ns < first->due_ns) first = &thread;
  }
  if (first != nullptr) now_ns_ = first->due_ns;
  return first;
}

void SimulatedThreads::drain_all() {
  for (unsigned i = 0; i < team_; ++i) threads_[i].buffer.drain();
}

void SimulatedThreads::yield() {
  now_ns_ += kYieldNs;
  running_->buffer.drain();
  if (schedule_.depth != 0) {
    if (schedule_.long_yields && one_in(8)) running_->due_ns = now_ns_ + draw_long();
    return poll_in_vain();
  }
  switch_away();
}

void SimulatedThreads::delay(std::uint64_t ns) {
  running_->due_ns = now_ns_ + ns;
  running_->buffer.drain();
  switch_away();
}

void SimulatedThreads::sleep(const void* word, bool limited) {
  if (one_in(64)) return;  // as by a signal
  running_->asleep_on = word;
  running_->due_ns = limited ? now_ns_ + kLimitNs : kNever;
  switch_away();
  running_->asleep_on = nullptr;
}

void SimulatedThreads::wake(const void* word) {
  if (weakness_ == Weakness::kWakeCall && one_in(1000)) return;
  for (unsigned i = 0; i < team_; ++i) {
    if (threads_[i].asleep_on != word) continue;
    threads_[i].asleep_on = nullptr;
    threads_[i].due_ns = now_ns_ + draw() % kLongestWakeNs;
  }
  look_who_is_next();
  if (schedule_.depth != 0) look_again_at_next_step();
}

std::uint64_t SimulatedThreads::draw_long() {
  std::uint64_t ns = 100 + draw() % 900;
  for (unsigned tens = draw() % 6; tens > 0; --tens) ns *= 10;
  return ns;
}

// The functions below are PCT.

void SimulatedThreads::begin_window() {
  step_of_window_ = 0;
  changes_ = 0;
  for (unsigned i = 0; i < team_; ++i) {
    threads_[i].priority = schedule_.depth + i;
    std::swap(threads_[i].priority, threads_[draw() % (i + 1)].priority);
  }
  for (unsigned i = 0; i + 1 < schedule_.depth; ++i) change_at_[i] = draw() % schedule_.window;
  std::sort(change_at_, change_at_ + schedule_.depth - 1);
}

// Until the next change of a priority, or until another thread becomes runnable.
void SimulatedThreads::plan_turn() {
  const unsigned end = changes_ + 1 < schedule_.depth ? change_at_[changes_] + 1 : schedule_.window;
  std::uint64_t steps = end > step_of_window_ ? end - step_of_window_ : 1;
  if (next_event_ns_ != kNever && next_event_ns_ > now_ns_) {
    steps = std::min(steps, (next_event_ns_ - now_ns_) / schedule_.step_ns + 1);
  }
  steps_granted_ = steps_left_ = static_cast<unsigned>(steps);
}

void SimulatedThreads::look_again_at_next_step() {
  pass_steps();
  has_pollers_ = false;
  steps_granted_ = steps_left_ = 1;
}

// Counts the steps of the turn so far.
void SimulatedThreads::pass_steps() {
  step_of_window_ += steps_granted_ - steps_left_;
  steps_granted_ = steps_left_;
  while (changes_ + 1 < schedule_.depth && step_of_window_ > change_at_[changes_]) {
    change_priority();
  }
  if (step_of_window_ >= schedule_.window) begin_window();
}

void SimulatedThreads::change_priority() {
  ++changes_;
  running_->priority = schedule_.depth - changes_ - 1;
  if (schedule_.stops && (draw() & 1) != 0) {
    running_->due_ns = std::max(running_->due_ns, now_ns_ + draw_long());
  }
  if (schedule_.clock_jumps && one_in(4)) {
    const std::uint64_t most = (draw() & 1) != 0 ? 10'000'000'000 : 100'000;
    if ((draw() & 1) != 0) {
      jumped_ns_ += (std::uint64_t{draw()} * most) >> 32;
    } else {
      jumped_ns_ -= std::min<std::uint64_t>(draw() % 1'000'000, jumped_ns_ + now_ns_ / 2);
    }
  }
}

void SimulatedThreads::poll_in_vain() {
  running_->polled = writes_;
  has_pollers_ = true;
  const Thread* before = running_;
  switch_away();
  if (running_ == before && another_can_run_ && ++polls_ < kPollsOfATeam) return;
  if (polls(*running_)) hurry();
}

// The highest runnable thread; otherwise any that polls, or the one that is runnable first; null if none ever will be.
SimulatedThreads::Thread* SimulatedThreads::pick_by_priority() {
  Thread* best = nullptr;
  Thread* poller = nullptr;
  Thread* first = nullptr;
  unsigned pollers = 0;
  for (unsigned i = 0; i < team_; ++i) {
    Thread& thread = threads_[i];
    if (thread.done || thread.due_ns == kNever) continue;
    if (thread.due_ns > now_ns_) {
      if (first == nullptr || thread.due_ns < first->due_ns) first = &thread;
    } else if (polls(thread)) {
      if (++pollers == 1 || one_in(pollers)) poller = &thread;
    } else if (best == nullptr || thread.priority > best->priority) {
      best = &thread;
    }
  }
  if (best != nullptr) return best;
  if (poller != nullptr) return poller;
  if (first != nullptr) now_ns_ = first->due_ns;
  return first;
}

}  // namespace muster::test
