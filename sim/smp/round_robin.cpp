#include "sim/smp/round_robin.h"

#include <algorithm>

#include "sim/smp/machine.h"

namespace muster::smp {

void RoundRobin::wake(std::span<Task* const> tasks, unsigned) {
  for (Task* task : tasks) {
    ready_.push_back(task);
    find_idle(*task);
  }
}

// One that nobody else has been found for: the longest idle.
void RoundRobin::find_idle(const Task& task) {
  unsigned best = kNoProcessor;
  for (unsigned i = 0; i < machine_->processors(); ++i) {
    const Processor& processor = machine_->processor(i);
    if (!machine_->idle(i) || processor.interrupted) continue;
    if (task.pinned != kNoProcessor && task.pinned != i) continue;
    if (best == kNoProcessor || processor.idle_since < machine_->processor(best).idle_since)
      best = i;
  }
  if (best != kNoProcessor) machine_->interrupt(best);
}

Task* RoundRobin::choose(unsigned processor, Task* previous, Left left) {
  const auto found = std::ranges::find_if(ready_, [&](const Task* task) {
    return !task->on_processor && (task->pinned == kNoProcessor || task->pinned == processor);
  });
  const bool can_go_on =
      previous != nullptr && (left == Left::kPreempted || left == Left::kYielded);
  Task* chosen = found != ready_.end() ? *found : nullptr;
  if (chosen != nullptr) {
    ready_.erase(found);
    if (can_go_on) ready_.push_back(previous);
  } else if (can_go_on) {
    chosen = previous;
  }
  if (chosen != nullptr) {
    const Time begins =
        machine_->now() + (chosen == previous ? 0 : machine_->shape().context_switch);
    machine_->set_timer(processor, begins + quantum_);
  }
  return chosen;
}

bool RoundRobin::timer(unsigned) { return true; }

}  // namespace muster::smp
