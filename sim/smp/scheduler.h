// What a scheduler is: who runs next on a processor, and when a processor has to decide anew. The machine
// (machine.h) does the rest: switching and its cost, spinning, blocking, the clock.
#pragma once

#include <span>

#include "sim/smp/task.h"

namespace muster::smp {

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // Why a processor chooses.
  enum class Left : std::uint8_t {
    kIdle,       // nobody was running
    kPreempted,  // it was interrupted; the thread that ran can go on
    kYielded,    // so can this one, but it lets others run
    kBlocked,
    kExited,
  };

  // Once, before anything runs.
  virtual void start(Machine& machine) = 0;

  // New threads, ready from now on, in this order.
  virtual void add(std::span<Task* const> tasks) = 0;

  // Threads that become ready at once, in this order, by what happens on `processor` (kNoProcessor: by a
  // clock). None of them is on a processor.
  virtual void wake(std::span<Task* const> tasks, unsigned processor) = 0;

  // The thread that is to run next, taken out of the queue: it must not be on a processor, except for
  // `previous`, what ran here up to now, which may go on unless it blocked or exited. Null: nobody, the
  // processor becomes idle. Where `previous` can still run and is not chosen, it is ready from now on.
  virtual Task* choose(unsigned processor, Task* previous, Left left) = 0;

  // The switch away from a ready thread is over: it can be given a processor now.
  virtual void released(Task&) {}

  // The time that Machine::set_timer was asked for has come; somebody runs there, or a switch goes on. True:
  // the processor is to choose anew, at once.
  virtual bool timer(unsigned processor) = 0;

  // A thread begins to run, or goes on: a place for setting timers.
  virtual void begins(unsigned) {}
  // The same where a switch has begun.
  virtual void switches(unsigned) {}
};

}  // namespace muster::smp
