#include "tests/unit/simulated_threads.h"

namespace muster::test {
namespace {

// For first_step(), which can be handed no pointer.
SimulatedThreads* g_starting = nullptr;

}  // namespace

SimulatedThreads::End SimulatedThreads::run(unsigned count, std::uint64_t seed,
                                            const std::function<void(unsigned)>& body) {
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
    thread.buffer.drop();
  }
  body_ = body;
  numbers_ = MixedNumbers(seed);
  now_ns_ = 1'000'000'000;
  idle_turns_ = 0;
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
  constexpr unsigned kLongest[] = {4, 32, 128, 512};  // powers of two
  const std::uint32_t drawn = draw();
  steps_left_ = 1 + (drawn >> 2 & (kLongest[drawn & 3] - 1));
  look_who_is_next();
  if (++idle_turns_ > kMostIdleTurns) stop(End::kNoProgress);
}

void SimulatedThreads::preempt() {
  if (one_in(kTurnsToAStranger)) {
    running_->due_ns = now_ns_ + kStrangersSliceNs;
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

// Stores may stay unseen for more than one turn, but not for ever.
void SimulatedThreads::switch_away() {
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

// One of those that can run, or the one that can first; null if none ever will.
SimulatedThreads::Thread* SimulatedThreads::pick() {
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
}

}  // namespace muster::test
