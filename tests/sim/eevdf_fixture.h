// What the tests of the EEVDF scheduler share: scripted threads, and when they began to run. Unless stated
// otherwise: a tick of 1 ms, slices of 3 ms, switches and interrupts that take no time. A new thread's first
// deadline is half a slice away. V: the average virtual runtime.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>

#include "sim/smp/eevdf.h"
#include "sim/smp/machine.h"

namespace muster::smp::by_hand {

inline constexpr Time kUs = 1'000;
inline constexpr Time kMs = 1'000'000;

// Does one thing after the other, then exits.
class Script : public Behaviour {
 public:
  using Step = std::function<Demand(Machine&, Task&)>;
  explicit Script(std::deque<Step> steps) : steps_(std::move(steps)) {}
  Demand next(Machine& machine, Task& me) override {
    if (steps_.empty()) return {Demand::Kind::kExit, 0};
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    return step(machine, me);
  }

 private:
  std::deque<Step> steps_;
};

inline Script::Step compute(Time time) {
  return [time](Machine&, Task&) { return Demand{Demand::Kind::kCompute, time}; };
}
inline Script::Step block(Time time = kNever) {
  return [time](Machine&, Task&) { return Demand{Demand::Kind::kBlock, time}; };
}
inline Script::Step yield() {
  return [](Machine&, Task&) { return Demand{Demand::Kind::kYield, 0}; };
}
inline Script::Step wake(Task*& who) {
  return [&who](Machine& machine, Task& me) {
    Task* const woken[] = {who};
    machine.wake(woken, me.processor);
    return Demand{Demand::Kind::kCompute, 0};
  };
}

struct Began {
  Time at;
  unsigned task;
  unsigned processor;
  bool operator==(const Began&) const = default;
};
inline void PrintTo(const Began& began, std::ostream* out) {
  *out << "thread " << began.task << " on " << began.processor << " at " << began.at;
}

class Eevdfs : public testing::Test, public Observer {
 protected:
  void SetUp() override {
    rules.tick = kMs;
    rules.base_slice = 3 * kMs;
    rules.newidle_cost = 0;
    rules.proportional_newidle = false;
    shape.processors = 1;
    shape.context_switch = 0;
    shape.interrupt_delay = 0;
  }
  void build() {
    scheduler = std::make_unique<Eevdf>(rules);
    machine = std::make_unique<Machine>(shape, *scheduler, this);
  }
  Task& thread(std::deque<Script::Step> steps, Time arrives = 0) {
    if (!machine) build();
    Task& task = machine->make_task(0, std::make_unique<Script>(std::move(steps)));
    machine->arrive({&task}, arrives);
    return task;
  }
  Task& hog(Time arrives = 0) { return thread({compute(kNever)}, arrives); }
  void thread_changed(Time now, const Task& task) override {
    if (task.state == State::kRunning &&
        (running.empty() || task.number >= running.size() || !running[task.number]))
      began.push_back({now, task.number, task.processor});
    running.resize(std::max<std::size_t>(running.size(), task.number + 1));
    running[task.number] = task.state == State::kRunning;
  }
  void processor_changed(Time, unsigned, const Processor&) override {}
  // When the thread began to run for the nth time.
  Time began_at(const Task& task, std::size_t n = 0) const {
    for (const Began& one : began) {
      if (one.task == task.number && n-- == 0) return one.at;
    }
    return -1;
  }

  EevdfRules rules;
  MachineShape shape;
  std::unique_ptr<Eevdf> scheduler;
  std::unique_ptr<Machine> machine;
  std::vector<Began> began;
  std::vector<bool> running;
};

}  // namespace muster::smp::by_hand
