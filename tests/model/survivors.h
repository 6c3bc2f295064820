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

// A thread that gave way is woken by the thread that it sleeps for as that one leaves. With two threads the one
// slept for is the last to arrive and releases the sleeper in any case; a third would have to.
inline constexpr const char* kNeedsAThird =
    "two threads cannot show it, three that give way are not explored; tests/chaos shows it";

// A sleep for a teammate that ends too early, or by an old mark, leads back to the wait that it is part of.
inline constexpr const char* kOnlyAdvice =
    "no order is needed: it decides how to wait, never whether";

inline constexpr Survivor kSurvivors[] = {
    {"waiting/arrivals.h store release", Change::kRelaxed, kOnlyAdvice},
    {"waiting/arrivals.h full_fence", Change::kNoFence, kNeedsAThird},
    {"waiting/arrivals.h load acquire", Change::kRelaxed, kOnlyAdvice},
    {"waiting/arrivals.h load acquire", Change::kFlag, kOnlyAdvice},
    {"waiting/arrivals.h load acquire", Change::kCountFlag, kOnlyAdvice},
};

// Null when it is none.
const Survivor* survivor(const Site& site, Change change);

}  // namespace muster::model
