// What `coherence` prints.
#pragma once

#include "sim/coherence/simulation.h"

namespace muster::coherence {

void print_head(const Machine& machine, const Experiment& experiment, bool csv);
void print_run(const Machine& machine, const Experiment& experiment, const Outcome& outcome,
               bool csv);

}  // namespace muster::coherence
