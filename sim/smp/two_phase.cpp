#include "sim/smp/two_phase.h"

namespace muster::smp {

Demand TwoPhase::Thread::next(Machine& machine, Task& me) {
  switch (doing_) {
    case Doing::kBeginning:
      return begin(machine, me);
    case Doing::kComputing:
    case Doing::kSleeping:
      return arrive(machine, me);
    case Doing::kSpinning:
      if (!me.signalled) return block();
      ++waits().successful_spins;
      return pass(machine, me);
    case Doing::kBlocked:
      return pass(machine, me);
  }
  return {};
}

Demand TwoPhase::Thread::begin(Machine&, Task&) { return compute(); }

Demand TwoPhase::Thread::passed(Machine& machine, Task&) {
  return waits().barriers < job_.barriers() ? compute() : exit(machine);
}

Demand TwoPhase::Thread::compute() {
  doing_ = Doing::kComputing;
  return {Demand::Kind::kCompute, intervals_.draw()};
}

Demand TwoPhase::Thread::sleep(Time time) {
  doing_ = Doing::kSleeping;
  return {Demand::Kind::kBlock, time};
}

Demand TwoPhase::Thread::arrive(Machine& machine, Task& me) {
  if (++job_.arrived_ == job_.plan().size) {
    job_.arrived_ = 0;
    job_.release(machine, me);
    return pass(machine, me);
  }
  if (job_.budget_ == 0) return block();
  ++waits().spins;
  doing_ = Doing::kSpinning;
  return {Demand::Kind::kSpin, job_.budget_};
}

Demand TwoPhase::Thread::block() {
  ++waits().blocks;
  doing_ = Doing::kBlocked;
  return {Demand::Kind::kBlock, kNever};
}

Demand TwoPhase::Thread::pass(Machine& machine, Task& me) {
  ++waits().barriers;
  return passed(machine, me);
}

Demand TwoPhase::Thread::exit(Machine& machine) {
  job_.exits(machine.now());
  return {Demand::Kind::kExit, 0};
}

// Spinners see it; the blocked are woken, in the order of their numbers.
void TwoPhase::release(Machine& machine, const Task& by) {
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

}  // namespace muster::smp
