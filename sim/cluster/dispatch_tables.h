// The time-sharing class's dispatch tables: for each of its 60 priorities, how long a quantum is, and
// which priority follows from its end, from a sleep, and from a long wait.
#pragma once

#include <array>

#include "sim/cluster/run.h"

namespace muster::cluster {

struct Level {
  int quantum;  // in ticks of 10 ms
  int expired;  // tqexp: the priority after the quantum's end
  int slept;    // slpret: after a sleep
  int maxwait;  // as soon as it has waited for more updates than this, one each second, the priority is
  int lwait;  // this one
};

constexpr int kPriorities = 60;
using DispatchTable = std::array<Level, kPriorities>;

const DispatchTable& dispatch_table(Table table);

}  // namespace muster::cluster
