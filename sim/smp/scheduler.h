// What a scheduler is: who runs next on a processor, and when a processor has to decide anew. The machine
// (machine.h) does the rest: switching and its cost, spinning, blocking, the clock.
//
// Order of what happens at one time, where neither the paper nor causes decide it. tests/sim/slow_smp.py, written
// independently, follows the same rules.
//
// - What was caused first happens first. But a sampled tick is the first thing at its time, and a thread that spins
//   for at most t sees everything that happens up to and including t.
// - The last thread at a barrier wakes the blocked ones, all at once and by number; then it goes on itself; then the
//   spinning ones do. A preempted spinner finds that it was released when it runs again; its spin was a success.
// - At the end of a switch, the thread left becomes ready, or is woken, before the next one runs. The next one counts
//   as present from the beginning of the switch; a processor that switches to idleness counts as idle.
// - A processor that is interrupted during a switch begins the delay when the switch ends. One that is interrupted
//   already is not interrupted again. If it chooses for another reason first, the interrupt still comes, and serves a
//   later request.
// - Processors that have been idle equally long are taken by number.
// - rr: a preempted thread takes its place at the end of the queue at once, but can be chosen only after the switch.
// - linux24: the queue holds running and ready threads. A preempted thread keeps its place and looks for a processor
//   as if woken when the switch is over. Among equals the running thread goes on, then the first in the queue, to
//   whose front woken threads go. Sampled ticks are taken from the threads that ran, or were being left, before that
//   time; one used up while it is left is not interrupted. `gv` takes threads whose own processor is idle, then other
//   idle ones (the longest idle first), then the pair with the greatest difference; among equals by order of waking,
//   then by number of the processor.
// - gang: turns go by number, the first at once when threads arrive and nobody is there; a turn interrupts all
//   processors. A thread that becomes ready interrupts the processor that it ran on last if that is idle, else the
//   first idle one. A processor takes the first of the queue that ran there last, else the first whose own processor
//   is not interrupted.
// - Jobs that arrive preempt nobody: each idle processor chooses for itself, from a queue with the new threads at its
//   front in the order given (rr, gang: as if woken).
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
