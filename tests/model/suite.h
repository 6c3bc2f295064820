// The programs that are explored by default: those that fit into the time of a test run.
#pragma once

#include "tests/model/mutants.h"

namespace muster::model {

std::vector<BarrierKind> algorithms();

enum class Extent { kQuick, kFull };

// The programs of one algorithm under one policy.
std::vector<Run> runs_of(BarrierKind barrier, WaitKind wait, Extent extent);

}  // namespace muster::model
