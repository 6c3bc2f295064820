// One run: threads execute the plan's regions and barriers, and the required properties are checked on the way.
#pragma once

#include <string>

#include "tests/chaos/plan.h"

namespace muster::chaos {

// Deliberate errors in the use of the barriers.
enum class Slip : std::uint8_t {
  kNone,
  kOrderLate,       // a folded region is announced before it is written down
  kNeverWoken,      // an instance is called off and no thread is woken
  kOnlyAnnounced,   // a folded region is announced, and nothing else released
  kToldAlways,      // a thread that left a gather unaware skips the release
  kWrongInstance,   // a task is for the instance before
  kNeverForgotten,  // a lasting call-off remains in the next region
  kNumberLost,      // the release after a gather that was called off has no number
  kEndsEarly,       // the primary does not gather at a region's end
  kNamedAgain,      // a task that is created at the runtime's barrier is for the current instance
  kLast = kNamedAgain
};
std::string name_of(Slip slip);

// The changes to the program under test.
struct Weakened {
  model::Mutation mutation = {};
  Slip slip = Slip::kNone;
  bool notes_sites = false;
};

struct Outcome {
  std::string wrong;  // empty: no fault
  std::uint64_t instances = 0;
  std::uint64_t called_off = 0;
  std::uint64_t regions = 0;  // folded ones
  std::uint64_t sleeps = 0;
  std::uint64_t wake_calls = 0;

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
