#include "sim/smp/gang.h"

#include <algorithm>

#include "sim/smp/machine.h"

namespace muster::smp {

Gang::Members& Gang::members(unsigned job) {
  if (job >= jobs_.size()) jobs_.resize(job + 1);
  return jobs_[job];
}

void Gang::add(std::span<Task* const> tasks) {
  for (Task* task : tasks) {
    Members& all = members(task->job);
    ++all.alive;
    all.ready.push_back(task);
  }
  if (!somebody_has_turn_) {
    next_turn();
  } else {
    for (Task* task : tasks) find_processor(*task);
  }
}

void Gang::wake(std::span<Task* const> tasks, unsigned) {
  for (Task* task : tasks) {
    members(task->job).ready.push_back(task);
    find_processor(*task);
  }
}

void Gang::released(Task& task) { find_processor(task); }

unsigned Gang::rank(unsigned job) const {
  const auto count = static_cast<unsigned>(jobs_.size());
  const unsigned after = (job + count - turn_) % count;
  if (after < sharing_) return jobs_[job].has_turn ? 0 : count;
  return after - sharing_ + 1;
}

// Its own processor, or the first that is idle; else the one of the job whose turn is furthest.
void Gang::find_processor(const Task& task) {
  if (!may_run(task)) return;
  const auto is_allowed = [&](unsigned i) {
    return !machine_->processor(i).interrupted && (task.pinned == kNoProcessor || task.pinned == i);
  };
  const auto is_free = [&](unsigned i) { return machine_->idle(i) && is_allowed(i); };
  if (task.processor != kNoProcessor && is_free(task.processor))
    return machine_->interrupt(task.processor);
  unsigned best = kNoProcessor;
  unsigned furthest = rank(task.job);
  for (unsigned i = 0; i < machine_->processors(); ++i) {
    if (is_free(i)) return machine_->interrupt(i);
    const Processor& processor = machine_->processor(i);
    const Task* const there = processor.switching ? processor.next : processor.current;
    if (there == nullptr || !is_allowed(i) || rank(there->job) <= furthest) continue;
    furthest = rank(there->job);
    best = i;
  }
  if (best != kNoProcessor) machine_->interrupt(best);
}

// One of the job that may run there: of those that were there before, else one that has been nowhere yet or whose own
// processor is not about to take it.
Task* Gang::take_ready(unsigned job, unsigned processor, const Task* previous) {
  std::deque<Task*>& ready = members(job).ready;
  const auto may_be_there = [&](const Task* task) {
    return (!task->on_processor || task == previous) &&
           (task->pinned == kNoProcessor || task->pinned == processor);
  };
  auto found = std::ranges::find_if(ready, [&](const Task* task) {
    return may_be_there(task) && task->processor == processor && task != previous;
  });
  if (found == ready.end()) {
    found = std::ranges::find_if(ready, [&](const Task* task) {
      return may_be_there(task) &&
             (task->processor == kNoProcessor || !machine_->processor(task->processor).interrupted);
    });
  }
  if (found == ready.end()) return nullptr;
  Task* const chosen = *found;
  ready.erase(found);
  return chosen;
}

Task* Gang::choose(unsigned processor, Task* previous, Left left) {
  if (left == Left::kExited) {
    --members(previous->job).alive;
    if (rank(previous->job) == 0 && !anybody_has_turn()) next_turn();
  }
  const bool preempted = previous != nullptr && left == Left::kPreempted;
  if (previous != nullptr && left == Left::kYielded)
    members(previous->job).ready.push_back(previous);
  Task* const chosen = take_first_ready(processor, previous, preempted);
  if (preempted && chosen != previous) members(previous->job).ready.push_back(previous);
  return chosen;
}

// Of the job of the lowest rank that has one.
Task* Gang::take_first_ready(unsigned processor, Task* previous, bool preempted) {
  const auto count = static_cast<unsigned>(jobs_.size());
  const unsigned last = fill_ ? count : 0;
  for (unsigned wanted = 0; wanted <= last; ++wanted) {
    // Nobody gives way to those of the same rank.
    if (preempted && rank(previous->job) == wanted) return previous;
    const bool shared = wanted == 0 || wanted == count;
    const unsigned begin = shared ? 0 : sharing_ + wanted - 1;
    const unsigned end = shared ? sharing_ : begin + 1;
    for (unsigned i = begin; i < end && i < count; ++i) {
      const unsigned job = (turn_ + i) % count;
      if (rank(job) != wanted) continue;
      if (Task* const found = take_ready(job, processor, previous); found != nullptr) return found;
    }
  }
  return nullptr;
}

void Gang::begin_turn(unsigned job) {
  turn_ = job;
  somebody_has_turn_ = true;
  sharing_ = 1;
  const auto count = static_cast<unsigned>(jobs_.size());
  for (unsigned threads = jobs_[job].alive; pack_ && sharing_ < count; ++sharing_) {
    threads += jobs_[(job + sharing_) % count].alive;
    if (threads > machine_->processors()) break;
  }
  for (unsigned i = 0; i < count; ++i) {
    Members& other = jobs_[(job + i) % count];
    other.has_turn = i < sharing_ && other.alive > 0;
  }
  const std::int64_t weight = job < weights_.size() ? weights_[job] : 1;
  machine_->at(machine_->now() + slice_ * weight, [this, number = ++turns_] {
    if (number == turns_) next_turn();
  });
  for (unsigned i = 0; i < machine_->processors(); ++i) machine_->interrupt(i);
}

bool Gang::anybody_has_turn() const {
  for (unsigned i = 0; i < sharing_; ++i) {
    if (jobs_[(turn_ + i) % jobs_.size()].alive > 0) return true;
  }
  return false;
}

// To the next job that has threads. Where there is no other, the turn goes on.
void Gang::next_turn() {
  const auto count = static_cast<unsigned>(jobs_.size());
  const unsigned first = turns_ == 0 ? 0 : turn_ + sharing_;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned job = (first + i) % count;
    if (jobs_[job].alive > 0) return begin_turn(job);
  }
  somebody_has_turn_ = false;
}

}  // namespace muster::smp
