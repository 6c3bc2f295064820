// POSIX's round robin, the paper's simpler scheduler (Tsafrir and Feitelson, sections 2.3 and 3): one queue
// for all processors. Who becomes ready goes to its end; who has run for a quantum goes there too, if
// anybody waits. Nobody is preempted by who wakes up.
#pragma once

#include <deque>

#include "sim/smp/scheduler.h"

namespace muster::smp {

class RoundRobin : public Scheduler {
 public:
  explicit RoundRobin(Time quantum) : quantum_(quantum) {}

  void start(Machine& machine) override { machine_ = &machine; }
  void add(std::span<Task* const> tasks) override { wake(tasks, kNoProcessor); }
  void wake(std::span<Task* const> tasks, unsigned processor) override;
  Task* choose(unsigned processor, Task* previous, Left left) override;
  void released(Task& task) override { find_idle(task); }
  bool timer(unsigned processor) override;

 private:
  void find_idle(const Task& task);

  const Time quantum_;
  Machine* machine_ = nullptr;
  std::deque<Task*> ready_;
};

}  // namespace muster::smp
