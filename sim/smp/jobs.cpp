#include "sim/smp/jobs.h"

#include "sim/smp/two_phase.h"

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

}  // namespace

Waits Job::waits() const {
  Waits sum;
  for (const Waits& one : waits_) sum.add(one);
  return sum;
}

void Job::make(Machine& machine, std::uint64_t seed, std::function<void()> when_done) {
  when_done_ = std::move(when_done);
  left_ = plan_.size;
  draw(seed);
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
