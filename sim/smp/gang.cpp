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
    for (Task* task : tasks) find_idle(*task);
  }
}

void Gang::wake(std::span<Task* const> tasks, unsigned) {
  for (Task* task : tasks) {
    members(task->job).ready.push_back(task);
    find_idle(*task);
  }
}

void Gang::released(Task& task) { find_idle(task); }

// Its own processor, or the first that is idle.
void Gang::find_idle(const Task& task) {
  if (!has_turn(task)) return;
  const auto is_free = [&](unsigned i) {
    return machine_->idle(i) && !machine_->processor(i).interrupted;
  };
  if (task.processor != kNoProcessor && is_free(task.processor))
    return machine_->interrupt(task.processor);
  for (unsigned i = 0; i < machine_->processors(); ++i) {
    if (is_free(i)) return machine_->interrupt(i);
  }
}

Task* Gang::choose(unsigned processor, Task* previous, Left left) {
  if (left == Left::kExited) {
    if (--members(previous->job).alive == 0 && has_turn(*previous)) next_turn();
  }
  const bool can_go_on =
      previous != nullptr && (left == Left::kPreempted || left == Left::kYielded);
  if (can_go_on && left == Left::kPreempted && has_turn(*previous)) return previous;
  if (can_go_on) members(previous->job).ready.push_back(previous);
  std::deque<Task*>& ready = members(turn_).ready;
  const auto may_run = [&](const Task* task) {
    return (!task->on_processor || task == previous) &&
           (task->pinned == kNoProcessor || task->pinned == processor);
  };
  auto found = std::ranges::find_if(ready, [&](const Task* task) {
    return may_run(task) && task->processor == processor && task != previous;
  });
  // Another one's, as long as that has been on none yet or its own is not waiting for it.
  if (found == ready.end()) {
    found = std::ranges::find_if(ready, [&](const Task* task) {
      return may_run(task) &&
             (task->processor == kNoProcessor || !machine_->processor(task->processor).interrupted);
    });
  }
  if (found == ready.end()) return nullptr;
  Task* const chosen = *found;
  ready.erase(found);
  return chosen;
}

void Gang::begin_turn(unsigned job) {
  turn_ = job;
  somebody_has_turn_ = true;
  const std::int64_t weight = job < weights_.size() ? weights_[job] : 1;
  machine_->at(machine_->now() + slice_ * weight, [this, number = ++turns_] {
    if (number == turns_) next_turn();
  });
  for (unsigned i = 0; i < machine_->processors(); ++i) machine_->interrupt(i);
}

// To the next job that has threads. Where there is no other, the turn goes on.
void Gang::next_turn() {
  const auto count = static_cast<unsigned>(jobs_.size());
  const unsigned first = turns_ == 0 ? 0 : turn_ + 1;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned job = (first + i) % count;
    if (jobs_[job].alive > 0) return begin_turn(job);
  }
  somebody_has_turn_ = false;
}

}  // namespace muster::smp
