// Reads the facts of `muster run --threads auto` (thread_number.h): affinity, cgroups, load and the user's variables.
#pragma once

#include <chrono>
#include <functional>

#include "load/load_sensor.h"
#include "preload/launcher/thread_number.h"

namespace muster::launcher {

using ReadVariable = std::function<const char*(const char*)>;  // as getenv
// Returns how long it took. Tests change files here.
using Sleep = std::function<std::chrono::nanoseconds(std::chrono::nanoseconds)>;

struct FactSources {
  LoadSources load{};  // its root is before /proc and /sys
  ReadVariable variable;
  Sleep sleep;

  // Of this process.
  static FactSources own();
};

// The load is looked at for 0.1 s, and only if it can matter: if other threads are runnable now, and if there are more
// than two CPUs. A CPU is busy if processes used it for four fifths of that time, so busy_cpus is a lower bound.
ThreadFacts read_thread_facts(const FactSources& sources);

}  // namespace muster::launcher
