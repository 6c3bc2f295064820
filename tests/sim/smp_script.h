// Threads that do what a test says, on a small machine, and what they did.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/smp/machine.h"

namespace muster::smp {

struct Act {
  Demand demand;
  std::function<void(Machine&, Task&)> first = nullptr;  // done just before
};

inline Act compute(Time time) { return {{Demand::Kind::kCompute, time}}; }
inline Act spin(Time time) { return {{Demand::Kind::kSpin, time}}; }
inline Act block(Time time = kNever) { return {{Demand::Kind::kBlock, time}}; }
inline Act yield() { return {{Demand::Kind::kYield, 0}}; }
// In no time, on the way to what comes next.
inline Act then(std::function<void(Machine&, Task&)> what) {
  return {{Demand::Kind::kCompute, 0}, std::move(what)};
}
inline Act wakes(std::vector<unsigned> numbers) {
  return then([numbers](Machine& machine, Task& me) {
    std::vector<Task*> tasks;
    for (const unsigned number : numbers) tasks.push_back(machine.tasks()[number].get());
    machine.wake(tasks, me.processor);
  });
}

class Script : public Behaviour {
 public:
  explicit Script(std::vector<Act> acts) : acts_(std::move(acts)) {}
  Demand next(Machine& machine, Task& me) override {
    if (at_ == acts_.size()) return {Demand::Kind::kExit, 0};
    const Act& act = acts_[at_++];
    if (act.first) act.first(machine, me);
    return act.demand;
  }

 private:
  std::vector<Act> acts_;
  std::size_t at_ = 0;
};

// Begins to run or ends: "3:0@1" is thread 0 on processor 1 from time 3 on, "9:0-" thread 0 off it.
class Recorder : public Observer {
 public:
  void thread_changed(Time now, const Task& task) override {
    if (task.number >= runs_.size()) runs_.resize(task.number + 1);
    const bool runs = task.state == State::kRunning;
    if (runs == runs_[task.number]) return;
    runs_[task.number] = runs;
    if (!text.empty()) text += ' ';
    text += std::to_string(now) + ":" + std::to_string(task.number);
    text += runs ? "@" + std::to_string(task.processor) : "-";
  }
  void processor_changed(Time, unsigned, const Processor&) override {}

  std::string text;

 private:
  std::vector<bool> runs_;
};

// A machine, its scheduler and its threads; all arrive at 0, in the order in which they are made.
struct Scene {
  Scene(const MachineShape& shape, std::unique_ptr<Scheduler> with)
      : scheduler(std::move(with)), machine(shape, *scheduler, &recorder) {}

  Task& thread(std::vector<Act> acts, unsigned job = 0) {
    Task& task = machine.make_task(job, std::make_unique<Script>(std::move(acts)));
    threads.push_back(&task);
    return task;
  }
  std::string run(Time limit = kNever) {
    machine.arrive(threads, 0);
    machine.run(limit);
    return recorder.text;
  }

  Recorder recorder;
  std::unique_ptr<Scheduler> scheduler;
  Machine machine;
  std::vector<Task*> threads;
};

}  // namespace muster::smp
