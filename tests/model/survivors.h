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

inline constexpr Survivor kSurvivors[] = {
    {"barriers/barrier_state.h full_fence", Change::kNoFence,
     "for sleepers that use full fences on both sides (waiting/roster.h), which only `auto` does"},
};

// Null when it is none.
const Survivor* survivor(const Site& site, Change change);

}  // namespace muster::model
