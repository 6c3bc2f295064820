// One run: threads go through the plan's regions and barriers, and what must hold is checked on the way.
#pragma once

#include <string>

#include "tests/chaos/plan.h"

namespace muster::chaos {

// What goes wrong on purpose beside the barriers: in how they are used.
enum class Slip : std::uint8_t {
  kNone,
  kOrderLate,       // a folded region is announced before it is written down
  kNeverWoken,      // an instance is called off and nobody is woken
  kOnlyAnnounced,   // a folded region is announced, and nothing else released
  kToldAlways,      // who left a gather unaware passes by the release
  kWrongInstance,   // a task is for the instance before
  kNeverForgotten,  // what was called off for long stays so in the next region
  kNumberLost,      // the release after a gather that was called off has no number
  kEndsEarly,       // the primary does not gather at a region's end
  kNamedAgain,      // a task that is created at a real barrier is for the present instance
  kLast = kNamedAgain
};
std::string name_of(Slip slip);

// What is changed in what is run.
struct Weakened {
  model::Mutation mutation = {};
  Slip slip = Slip::kNone;
  bool notes_sites = false;
};

struct Outcome {
  std::string wrong;  // empty: nothing
  std::uint64_t instances = 0;
  std::uint64_t called_off = 0;
  std::uint64_t regions = 0;  // folded ones
  std::uint64_t sleeps = 0;
  std::uint64_t wake_calls = 0;
  std::uint64_t gave_way = 0;

  void add(const Outcome& other);
};

// Runs many, one after the other.
class Runner {
 public:
  Runner();
  Outcome run(const Plan& plan, const Weakened& weakened);

 private:
  test::SimulatedThreads threads_{test::Weakness::kNone};
  WeakMemory memory_{threads_};
};

}  // namespace muster::chaos
