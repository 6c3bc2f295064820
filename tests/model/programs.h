// The checked programs: small programs that use a barrier of the registry, with plain memory that every thread writes
// and reads around it.
#pragma once

#include <string>

#include "options/barrier_names.h"
#include "options/wait_names.h"
#include "tests/model/explorer.h"

namespace muster::model {

enum class Shape : std::uint8_t {
  kBarriers,        // whole barriers
  kCalledOff,       // the same; one instance is called off by a thread before it arrives
  kCalledOffFrom,   // and all later ones
  kFold,            // release, gather, release, gather: as fork and join use the halves
  kAnnouncedFold,   // the same, announced in a word beside the data
  kFoldAndBarrier,  // with a whole barrier between release and gather
  kCalledOffFold,   // a gather is called off
  kSleepWord,       // no barrier: waiting/sleep_word.h alone, with three threads
  kFullySleepWord,  // the same with full fences on both sides
};
inline constexpr Shape kShapes[] = {
    Shape::kBarriers,      Shape::kCalledOff,     Shape::kCalledOffFrom,
    Shape::kFold,          Shape::kAnnouncedFold, Shape::kFoldAndBarrier,
    Shape::kCalledOffFold, Shape::kSleepWord,     Shape::kFullySleepWord};
std::string name_of(Shape shape);

// A mistake in how a team changes between two algorithms: some program must show it.
enum class Mistake : std::uint8_t {
  kNone,
  kTooSoon,         // a change takes effect two instances after the request, not three
  kNeverCatchesUp,  // instances that were left out are missing in the counter
};

struct Subject {
  BarrierKind barrier = BarrierKind::kDistSensor;
  WaitKind wait = WaitKind::kSpin;
  Shape shape = Shape::kBarriers;
  unsigned threads = 2;
  unsigned episodes = 2;  // of whole barriers; of a fold, its regions
  unsigned caller = 1;    // the thread that calls off, before its instance `called_off`
  unsigned called_off = 1;
  // Not 0: under contended_at_times.h's policy, which spins or sleeps as `wait` does, from this instance on.
  unsigned first_request = 0;
  Mistake mistake = Mistake::kNone;
};
std::string name_of(const Subject& subject);

MakeProgram program_of(const Subject& subject);

}  // namespace muster::model
