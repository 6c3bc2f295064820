// A team whose threads compute, arrive at a barrier, spin for at most a time, then block: the paper's model of one,
// in which arriving and releasing are free.
#pragma once

#include "sim/smp/jobs.h"

namespace muster::smp {

class TwoPhase : public Job {
 public:
  TwoPhase(const JobPlan& plan, unsigned number, Time budget)
      : Job(plan, number), budget_(budget) {}

 protected:
  class Thread : public Behaviour {
   public:
    Thread(TwoPhase& job, unsigned number, Intervals intervals)
        : job_(job), number_(number), intervals_(intervals) {}
    Demand next(Machine& machine, Task& me) override;

   protected:
    // What a thread does at first, and after a barrier.
    virtual Demand begin(Machine& machine, Task& me);
    virtual Demand passed(Machine& machine, Task& me);

    unsigned number() const { return number_; }
    Waits& waits() { return job_.waits_of(number_); }
    // Each until the next barrier; the last one: without computing.
    Demand compute();
    Demand sleep(Time time);
    Demand arrive(Machine& machine, Task& me);
    Demand exit(Machine& machine);

   private:
    enum class Doing : std::uint8_t { kBeginning, kComputing, kSleeping, kSpinning, kBlocked };

    Demand block();
    Demand pass(Machine& machine, Task& me);

    TwoPhase& job_;
    const unsigned number_;
    Intervals intervals_;
    Doing doing_ = Doing::kBeginning;
  };

  std::unique_ptr<Behaviour> behaviour(unsigned thread, Intervals intervals) override {
    return std::make_unique<Thread>(*this, thread, intervals);
  }

 private:
  void release(Machine& machine, const Task& by);

  const Time budget_;
  unsigned arrived_ = 0;
};

}  // namespace muster::smp
