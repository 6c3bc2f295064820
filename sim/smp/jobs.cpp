#include "sim/smp/jobs.h"

namespace muster::smp {
namespace {

class Computing : public Behaviour {
 public:
  Demand next(Machine&, Task&) override { return {Demand::Kind::kCompute, kNever}; }
};

class Background : public Job {
 public:
  using Job::Job;

 private:
  std::unique_ptr<Behaviour> behaviour(unsigned, Intervals) override {
    return std::make_unique<Computing>();
  }
};

class TwoPhase : public Job {
 public:
  TwoPhase(const JobPlan& plan, unsigned number, Time budget)
      : Job(plan, number), budget_(budget) {}

 private:
  class Thread : public Behaviour {
   public:
    Thread(TwoPhase& job, unsigned number, Intervals intervals)
        : job_(job), number_(number), intervals_(intervals) {}

    Demand next(Machine& machine, Task& me) override {
      switch (doing_) {
        case Doing::kBeginning:
          return compute();
        case Doing::kComputing:
          return arrive(machine, me);
        case Doing::kSpinning:
          if (!me.signalled) return block();
          ++waits().successful_spins;
          return pass(machine);
        case Doing::kBlocked:
          return pass(machine);
      }
      return {};
    }

   private:
    enum class Doing : std::uint8_t { kBeginning, kComputing, kSpinning, kBlocked };

    Waits& waits() { return job_.waits_of(number_); }

    Demand compute() {
      doing_ = Doing::kComputing;
      return {Demand::Kind::kCompute, intervals_.draw()};
    }

    Demand arrive(Machine& machine, Task& me) {
      if (++job_.arrived_ == job_.plan().size) {
        job_.arrived_ = 0;
        job_.release(machine, me);
        return pass(machine);
      }
      if (job_.budget_ == 0) return block();
      ++waits().spins;
      doing_ = Doing::kSpinning;
      return {Demand::Kind::kSpin, job_.budget_};
    }

    Demand block() {
      ++waits().blocks;
      doing_ = Doing::kBlocked;
      return {Demand::Kind::kBlock, kNever};
    }

    Demand pass(Machine& machine) {
      if (++waits().barriers < job_.plan().barriers) return compute();
      job_.exits(machine.now());
      return {Demand::Kind::kExit, 0};
    }

    TwoPhase& job_;
    const unsigned number_;
    Intervals intervals_;
    Doing doing_ = Doing::kBeginning;
  };

  std::unique_ptr<Behaviour> behaviour(unsigned thread, Intervals intervals) override {
    return std::make_unique<Thread>(*this, thread, intervals);
  }

  // Spinners see it; the blocked are woken, in the order of their numbers.
  void release(Machine& machine, const Task& by) {
    std::vector<Task*> blocked;
    for (Task* task : tasks()) {
      if (task == &by) continue;
      if (task->state == State::kBlocked) {
        blocked.push_back(task);
      } else {
        machine.signal(*task);
      }
    }
    machine.wake(blocked, by.processor);
  }

  const Time budget_;
  unsigned arrived_ = 0;
};

}  // namespace

Waits Job::waits() const {
  Waits sum;
  for (const Waits& one : waits_) sum.add(one);
  return sum;
}

void Job::make(Machine& machine, std::uint64_t seed, std::function<void()> when_done) {
  when_done_ = std::move(when_done);
  left_ = plan_.size;
  for (unsigned thread = 0; thread < plan_.size; ++thread) {
    // Numbered over all jobs, so that no two threads of a run draw alike.
    const Intervals intervals(plan_.interval, seed, static_cast<unsigned>(machine.tasks().size()));
    tasks_.push_back(&machine.make_task(number_, behaviour(thread, intervals)));
    tasks_.back()->nice = plan_.nice;
    tasks_.back()->slice = plan_.slice;
  }
}

void Job::exits(Time now) {
  if (--left_ > 0) return;
  ended_ = now;
  if (when_done_) when_done_();
}

std::unique_ptr<Job> make_background(const JobPlan& plan, unsigned number) {
  return std::make_unique<Background>(plan, number);
}

std::unique_ptr<Job> make_two_phase(const JobPlan& plan, unsigned number, Time budget) {
  return std::make_unique<TwoPhase>(plan, number, budget);
}

}  // namespace muster::smp
