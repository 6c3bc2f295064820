// What is counted while a cluster runs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/cluster/run.h"

namespace muster::cluster {

enum class Doing : std::uint8_t { kComputing, kSpinning, kSwitching, kIdle };
constexpr std::size_t kDoings = 4;

// Of one workstation: what its processor has done, all the time.
struct Account {
  std::array<Nanoseconds, kDoings> spent{};
  std::uint64_t switches = 0;

  Nanoseconds in(Doing doing) const { return spent[static_cast<std::size_t>(doing)]; }
  Nanoseconds all() const { return spent[0] + spent[1] + spent[2] + spent[3]; }
};

// Of all reads, and of all barriers.
struct Operations {
  std::uint64_t done = 0;
  std::uint64_t without_sleep = 0;  // were complete while the process span
  Nanoseconds waited = 0;

  double percent_while_spinning() const {
    return done == 0 ? 100 : 100 * static_cast<double>(without_sleep) / static_cast<double>(done);
  }
};

struct Result {
  Nanoseconds completion = 0;  // of the last job
  std::vector<Nanoseconds> job_completions;
  std::vector<Account> workstations;
  Operations reads;
  Operations barriers;
  std::uint64_t messages = 0;

  std::uint64_t switches() const {
    std::uint64_t sum = 0;
    for (const Account& one : workstations) sum += one.switches;
    return sum;
  }
  // Its share of all processors' time.
  double percent(Doing doing) const {
    Nanoseconds part = 0;
    Nanoseconds all = 0;
    for (const Account& one : workstations) {
      part += one.in(doing);
      all += one.all();
    }
    return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
  }
};

}  // namespace muster::cluster
