// Changes that no program of the suite detects, each with the reason why the source keeps the original.
#pragma once

#include <string>

#include "tests/model/mutants.h"

namespace muster::model {

struct Survivor {
  const char* place;  // as in text_of(Site), without the line
  Change change;
  const char* reason;
};

// A thread that gave way is woken by the thread that it sleeps for when that one leaves. With two threads, that one is
// the last to arrive and releases the sleeper in any case; the change shows only with a third.
inline constexpr const char* kNeedsAThird =
    "two threads cannot show it, three that give way are not explored; tests/chaos shows it";

// A sleep for a teammate that ends too early, or because of an old mark, returns to the wait that it is part of.
inline constexpr const char* kOnlyAdvice =
    "no order is needed: it decides how to wait, never whether";

inline constexpr Survivor kSurvivors[] = {
    {"waiting/arrivals.h store release", Change::kRelaxed, kOnlyAdvice},
    {"waiting/arrivals.h full_fence", Change::kNoFence, kNeedsAThird},
    {"waiting/arrivals.h load acquire", Change::kRelaxed, kOnlyAdvice},
    {"waiting/arrivals.h load acquire", Change::kFlag, kOnlyAdvice},
    {"waiting/arrivals.h load acquire", Change::kCountFlag, kOnlyAdvice},
};

// Null if it is none.
const Survivor* survivor(const Site& site, Change change);

}  // namespace muster::model
