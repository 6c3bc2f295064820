// What one run simulates: the workstations, their network and schedulers, the jobs, and how their
// processes wait. runs/every-key.toml lists the keys of its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace muster::cluster {

using Nanoseconds = std::int64_t;
constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

// Of every workstation's clock, as Solaris has it (hz = 100).
constexpr Nanoseconds kTick = 10'000'000;
constexpr unsigned kTicksASecond = 100;

enum class Policy { kSolaris, kRoundRobin, kExplicit };
// Dispatch tables of the time-sharing class.
enum class Table { kSolaris, kSvr4 };

struct Scheduler {
  Policy policy = Policy::kSolaris;
  Table table = Table::kSolaris;
  bool raise_every_sleep = false;  // not only of processes that have waited for longer than maxwait
  Nanoseconds quantum = 100'000'000;  // round-robin's
  Nanoseconds slice = 500'000'000;    // explicit coscheduling's
  bool clocks_apart = true;  // each workstation's clock ticks when it likes, or all at once
  bool shuffled =
      true;  // each workstation has the jobs in another order at first, or all in the same
};

enum class Barrier { kRoot, kTree, kDissemination };
enum class Neighbours { kGrid, kRing };
enum class Style { kBulkSynchronous, kContinuous };

struct Program {
  Style style = Style::kBulkSynchronous;
  Nanoseconds compute = 0;        // between barriers
  Nanoseconds between_reads = 0;  // bulk-synchronous: 8 us; continuous: c
  Barrier barrier = Barrier::kRoot;
  Neighbours neighbours = Neighbours::kGrid;
  bool elapsed = false;  // continuous: `compute` is the time from barrier to barrier in a dedicated
                         // machine, not only the computing in it
};

// After `baseline` of spinning, a process spins on for `conditional` while messages come in, then sleeps.
struct Waiting {
  Nanoseconds read_spin = 0;
  Nanoseconds barrier_spin = 0;
  Nanoseconds conditional = 0;
  Nanoseconds wake_spin = 0;  // after it was woken for a message that it does not wait for
};

struct RunPlan {
  unsigned workstations = 0;
  Nanoseconds context_switch = 0;
  Nanoseconds latency = 0;
  Scheduler scheduler;
  unsigned jobs = 0;
  unsigned processes = 0;  // of each job
  Nanoseconds dedicated = 0;
  Program program;
  Waiting waiting;
  std::uint64_t seed = 1;
};

// Throws std::runtime_error that names the file, the line and the key.
RunPlan load_run(const std::filesystem::path& file, const std::vector<std::string>& settings = {});

// The same workload under explicit coscheduling, whose processes spin for as long as they wait.
RunPlan explicitly_coscheduled(RunPlan run);

}  // namespace muster::cluster
