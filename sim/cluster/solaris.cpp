#include "sim/cluster/solaris.h"

#include <algorithm>
#include <utility>

namespace muster::cluster {

void Solaris::add(unsigned process) {
  threads_.push_back({.process = process});
  threads_.back().ticks_left = level(threads_.back()).quantum;
  enqueue(threads_.back(), true);
}

int Solaris::pick() {
  if (queue_.empty()) return kNobody;
  Thread& next = threads_[queue_.front()];
  queue_.erase(queue_.begin());
  next.state = State::kRunning;
  return static_cast<int>(next.process);
}

void Solaris::requeue(unsigned process) {
  Thread& thread = find(process);
  thread.left = ticks_;
  if (thread.to_the_back) {
    thread.ticks_left = level(thread).quantum;
    thread.dispwait = 0;
  }
  enqueue(thread, std::exchange(thread.to_the_back, false));
}

void Solaris::sleeps(unsigned process) {
  Thread& thread = find(process);
  thread.left = ticks_;
  thread.state = State::kSleeping;
  raise_if_it_has_waited(thread);
}

void Solaris::ends(unsigned process) { find(process).state = State::kEnded; }

bool Solaris::wakes(unsigned process, int running) {
  Thread& thread = find(process);
  if (raise_every_sleep_) raise(thread, level(thread).slept);
  raise_if_it_has_waited(thread);
  thread.to_the_back = false;
  enqueue(thread, thread.left != ticks_);
  return running != kNobody && is_outranked(find(static_cast<unsigned>(running)));
}

bool Solaris::tick(int running) {
  ++ticks_;
  bool anew = false;
  if (running != kNobody) {
    Thread& thread = find(static_cast<unsigned>(running));
    if (--thread.ticks_left <= 0) {
      thread.priority = level(thread).expired;
      thread.dispwait = 0;
      thread.to_the_back = anew = true;
    } else if (is_outranked(thread)) {
      thread.to_the_back = anew = true;
    }
  }
  if (ticks_ % kTicksASecond == update_tick_) anew |= update(running);
  return anew;
}

// Begins with another one each time, as Solaris does, for fairness among those that end up in one queue.
bool Solaris::update(int running) {
  ++updates_;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[(i + updates_) % threads_.size()];
    ++thread.dispwait;
    if (thread.state == State::kRunning) raise_if_it_has_waited(thread);
    if (thread.state != State::kReady || thread.dispwait <= level(thread).maxwait) continue;
    thread.dispwait = 0;
    if (level(thread).lwait == thread.priority) continue;
    dequeue(thread);
    raise(thread, level(thread).lwait);
    enqueue(thread, true);
  }
  return running != kNobody && is_outranked(find(static_cast<unsigned>(running)));
}

int Solaris::priority(unsigned process) const {
  for (const Thread& thread : threads_) {
    if (thread.process == process) return thread.priority;
  }
  return 0;
}

Solaris::Thread& Solaris::find(unsigned process) {
  return *std::ranges::find(threads_, process, &Thread::process);
}

void Solaris::raise(Thread& thread, int priority) {
  thread.priority = priority;
  thread.ticks_left = level(thread).quantum;
  thread.dispwait = 0;
}

void Solaris::raise_if_it_has_waited(Thread& thread) {
  if (thread.dispwait > level(thread).maxwait) raise(thread, level(thread).slept);
}

void Solaris::enqueue(Thread& thread, bool at_the_back) {
  thread.state = State::kReady;
  const auto place = std::ranges::find_if(queue_, [&](unsigned i) {
    return at_the_back ? threads_[i].priority < thread.priority
                       : threads_[i].priority <= thread.priority;
  });
  queue_.insert(place, static_cast<unsigned>(&thread - threads_.data()));
}

void Solaris::dequeue(const Thread& thread) {
  std::erase(queue_, static_cast<unsigned>(&thread - threads_.data()));
}

bool Solaris::is_outranked(const Thread& running) const {
  return !queue_.empty() && threads_[queue_.front()].priority > running.priority;
}

}  // namespace muster::cluster
