// Jobs that wait by Muster's own code: an algorithm of barriers/ with a policy of waiting/, as they are
// preloaded into programs, on the simulated machine's memory, clock, futex and scheduler.
//
// Why the real algorithms and not one counter: they come for nothing (barriers/registry.h), and how often a
// thread has to sleep in one barrier, and who wakes it, is the algorithm's (a round of `dissemination` is
// woken by one teammate, a `fetch-add` by the last of all).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "options/kinds.h"
#include "sim/smp/costs.h"
#include "sim/smp/jobs.h"
#include "waiting/wait_stats.h"

namespace muster {
struct TurnPage;
}

namespace muster::smp {

// "WAIT" or "BARRIER/WAIT", by the names of MUSTER_WAIT and MUSTER_BARRIER. Null: fine; else what is wrong,
// and what is allowed. `native` is no algorithm.
std::string wrong_with_production_policy(std::string_view policy);

struct ProductionSetting {
  Costs costs;
  Time context_switch = 0;   // that the machine takes
  Time interrupt_delay = 0;  // the same
  unsigned processors = 1;
  TurnPage* page = nullptr;  // that the processes share; null: without turns
  // As in the library by default.
  std::uint64_t slice_ns = kind::Slice::kAutoNs;
  bool may_place = true;

  // What calibration (waiting/calibration.h) would find on that machine.
  std::uint64_t context_switch_ns() const;
  std::uint64_t wake_ns() const;
};

class ProductionJob : public Job {
 public:
  using Job::Job;
  virtual void add_stats_to(WaitStats& sum) const = 0;  // of all its threads
};

// Times in ns. The plan's policy is one that nothing is wrong with; else throws std::invalid_argument.
std::unique_ptr<ProductionJob> make_production(const JobPlan& plan, unsigned number,
                                               const ProductionSetting& setting);

}  // namespace muster::smp
