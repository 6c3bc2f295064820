// A job whose threads run in fibers: they compute, then meet at a barrier that is real code, as often as its
// plan says.
#pragma once

#include "sim/smp/jobs.h"
#include "sim/smp/world.h"

namespace muster::smp {

template <class Base>
class FiberJob : public Base {
 public:
  FiberJob(const JobPlan& plan, unsigned number, const Costs& costs)
      : Base(plan, number), world_(plan.size, costs, [this](unsigned thread) { run(thread); }) {}

 protected:
  World& world() { return world_; }
  // Of instance 1 on; counts itself in waits_of(thread).
  virtual void arrive_and_wait(unsigned thread, std::uint64_t instance) = 0;

 private:
  class Thread : public Behaviour {
   public:
    Thread(FiberJob& job, unsigned number, Intervals numbers)
        : intervals(numbers), job_(job), number_(number) {}
    Demand next(Machine& machine, Task& me) override {
      const Demand demand = job_.world_.next(number_, machine, me);
      if (demand.kind == Demand::Kind::kExit) job_.exits(machine.now());
      return demand;
    }
    Intervals intervals;

   private:
    FiberJob& job_;
    const unsigned number_;
  };

  std::unique_ptr<Behaviour> behaviour(unsigned, Intervals intervals) override {
    auto thread =
        std::make_unique<Thread>(*this, static_cast<unsigned>(threads_.size()), intervals);
    threads_.push_back(thread.get());
    return thread;
  }

  void run(unsigned thread) {
    for (std::uint64_t instance = 1; instance <= this->plan().barriers; ++instance) {
      world_.compute(threads_[thread]->intervals.draw());
      arrive_and_wait(thread, instance);
    }
  }

  World world_;
  std::vector<Thread*> threads_;
};

}  // namespace muster::smp
