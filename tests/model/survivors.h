// Changes that no program of the suite shows, each with the reason why the source keeps what it has.
#pragma once

#include <string>

#include "tests/model/mutants.h"

namespace muster::model {

struct Survivor {
  const char* place;  // as text_of(Site) has it, without the line
  Change change;
  const char* reason;
};

// A thread that gave way is waked by whoever it sleeps for as that one leaves. With two threads the one
// slept for is the last to arrive and releases the sleeper in any case; a third would have to.
inline constexpr const char* kNeedsAThird =
    "two threads cannot show it, three that give way are not explored: neither needed nor not";

inline constexpr Survivor kSurvivors[] = {
    {"waiting/roster.h store release", Change::kRelaxed, kNeedsAThird},
    {"waiting/roster.h full_fence", Change::kNoFence, kNeedsAThird},
    {"waiting/roster.h load acquire", Change::kRelaxed, kNeedsAThird},
    {"waiting/roster.h load acquire", Change::kFlag, kNeedsAThird},
    {"waiting/roster.h load acquire", Change::kCountFlag, kNeedsAThird},
};

// Null when it is none.
const Survivor* survivor(const Site& site, Change change);

}  // namespace muster::model
