// Runs small enough to be worked out by hand, and what their traces say.
#pragma once

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sim/cluster/cluster.h"

namespace muster::cluster::test {

constexpr Nanoseconds us(double time) { return static_cast<Nanoseconds>(time * 1000); }

// One round of a bulk-synchronous job: compute 100 us, barrier, four reads with 8 us between, barrier.
inline RunPlan one_round(unsigned processes, double switch_us) {
  RunPlan run;
  run.workstations = processes;
  run.context_switch = us(switch_us);
  run.latency = us(10);
  run.scheduler.clocks_apart = run.scheduler.shuffled = false;
  run.jobs = 1;
  run.processes = processes;
  run.dedicated = 1;  // one round is the least
  run.program.compute = us(100);
  run.program.between_reads = us(8);
  run.waiting.wake_spin = us(switch_us);
  return run;
}

struct Event {
  double time_us;
  unsigned workstation, job, rank;
  std::string what;
  int priority;
};

struct Traced {
  Result result;
  std::vector<Event> events;

  // When the rank did this, in us.
  std::vector<double> times(const std::string& what, unsigned rank, unsigned job = 0) const {
    std::vector<double> out;
    for (const Event& event : events) {
      if (event.what == what && event.rank == rank && event.job == job)
        out.push_back(event.time_us);
    }
    return out;
  }
};

inline Traced run_traced(const RunPlan& run) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  Traced out;
  {
    Trace trace(file.get());
    out.result = Cluster(run, &trace).run();
  }
  std::rewind(file.get());
  char line[200];
  std::fgets(line, sizeof line, file.get());  // the head
  while (std::fgets(line, sizeof line, file.get()) != nullptr) {
    for (char* c = line; *c != '\0'; ++c) *c = *c == ',' || *c == '\n' ? ' ' : *c;
    std::istringstream words(line);
    Event event;
    words >> event.time_us >> event.workstation >> event.job >> event.rank >> event.what >>
        event.priority;
    out.events.push_back(event);
  }
  return out;
}

}  // namespace muster::cluster::test
