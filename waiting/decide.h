// What a waiting thread does next under `auto`: a pure function of what it observes, without state and without a clock.
//
// Spinning is harmless while the team has no other use for the CPU. If a teammate that has not arrived is on this CPU,
// spinning only keeps it from running. sched_yield is the cheapest way to let it run: the caller is back within
// microseconds. Beside a competitor a yield is the worst: the kernel charges the caller a whole time slice, and the
// competitor runs for milliseconds. Blocking costs two more system calls and loses no slice.
//
// tests/waiting/decide_test.cpp goes through all observations and prints the table of docs/understand/waiting.md.
#pragma once

#include <cstdint>

#include "waiting/tuning.h"

namespace muster {

enum class Step : std::uint8_t {
  kPoll,   // check the condition for about a microsecond
  kYield,  // sched_yield
  kBlock,  // sleep until the barrier releases this thread
};

// Where a teammate is that this thread waits for.
enum class Absent : std::uint8_t {
  kElsewhere,    // none was last seen on this thread's CPU
  kPerhapsHere,  // none was, but the kernel may have moved one here since
  kHere,         // one was last seen on this thread's CPU
};

struct Observation {
  Absent absent = Absent::kElsewhere;
  bool competitor = false;  // a thread of another process wants this CPU, or may want it
  bool dear_yield = false;  // on the team's only CPU, with the kernel's own slice
  bool real_time = false;   // yields do not let threads of lower priority run
  bool time_is_up = false;  // of the spin (spin_budget.h)
};

constexpr Step decide(const Observation& now) {
  if (now.time_is_up) return Step::kBlock;
  if (now.absent == Absent::kElsewhere) return Step::kPoll;
  if (!now.competitor && !now.real_time && !now.dear_yield) return Step::kYield;
  return now.absent == Absent::kPerhapsHere ? Step::kPoll : Step::kBlock;
}

// Whether a spin keeps threads from running that want this CPU.
constexpr bool spin_delays_others(const Observation& now) {
  return now.competitor || now.real_time;
}

}  // namespace muster
