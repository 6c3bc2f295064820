// The load sensor: what this process can observe about the CPUs that its teams may use.
// docs/understand/load-sensing.md explains each figure, its cost and its limits.
//
// Cost: look() costs a load and a compare if it is not due; else some 5 us, every 10 ms in one thread of the process,
// while the other threads use the last snapshot. Only waiters whose quick polls failed call it. No thread waits for
// another one here.
// was_throttled() and was_stolen() are for gaps of 0.5 ms and more.
//
// Contract: a look in a wait opens no file. It reads files that the first look opened, in the thread that initializes
// the library (platform/kept_files.h). That look and the report's may open others.
//
// Times are nanoseconds of the caller's clock: the sensor reads no clock, so tests can simulate one.
// Source: the kernel's documentation of /proc, cgroups and PSI.
#pragma once

#include <atomic>
#include <cstdint>

#include "load/competitor_average.h"
#include "load/cpu_groups.h"
#include "load/load_snapshot.h"
#include "load/stolen_time.h"
#include "platform/affinity.h"
#include "platform/cpus.h"
#include "platform/kept_files.h"

namespace muster {

struct LoadSources {
  const char* root = "";  // before /proc and /sys; tests have a tree here
  // Of the calling thread.
  unsigned (*allowed_cpus)() = &muster::allowed_cpus;
  unsigned (*current_cpu)() = &muster::current_cpu;
  bool (*read_affinity)(AffinityMask&) = [](AffinityMask& mask) { return mask.read(); };
  bool opens_files = true;  // at each look; else only if the caller asks for it
};

class LoadSensor {
 public:
  static constexpr std::uint64_t kLookEveryNs = 10'000'000;
  static constexpr std::uint64_t kLookForGapEveryNs = 500'000;
  // How often the groups' folder and unavailable files are searched again: a process may be moved and mounts may
  // change, but that search is the most expensive part.
  static constexpr std::uint64_t kSearchEveryNs = 1'000'000'000;

  constexpr LoadSensor() = default;
  constexpr explicit LoadSensor(const LoadSources& sources) : sources_(sources) {}
  LoadSensor(const LoadSensor&) = delete;
  LoadSensor& operator=(const LoadSensor&) = delete;

  // Looks if `every_ns`, at most 10 ms, have passed since the last look and no other thread is looking. True if there is
  // a new snapshot. With kept descriptors it notices neither a change of the group nor the pressure.
  //
  // From Linux 6.12 on, a thread that has just fallen asleep may still count as runnable (delayed dequeue), and would
  // pass for a competitor. So a regular look waits for a moment when no thread of a team sleeps, but at most 10 ms.
  bool look(std::uint64_t now_ns, Files how = Files::kKept, std::uint64_t every_ns = kLookEveryNs) {
    // Not due: the next look is ahead, by no more than it can be. Further ahead, the clock was set
    // back (a restored checkpoint, say).
    const std::uint64_t ahead = next_look_ns_.load(std::memory_order_relaxed) - now_ns;
    if (ahead - 1 < 2 * kLookEveryNs && ahead > kLookEveryNs - every_ns) return false;
    const bool is_regular = every_ns == kLookEveryNs;
    const std::uint64_t overdue_ns = 0 - ahead;
    if (is_regular && overdue_ns < kLookEveryNs && some_asleep()) return false;
    return look_if_free(now_ns, sources_.opens_files ? Files::kOpen : how);
  }

  // Whether the group used up its quota in this gap of the calling thread: a look since its begin counted it. Looks now
  // if there was none in the last half millisecond, since the kernel counts when the gap ends.
  bool was_throttled(std::uint64_t begin_ns, std::uint64_t end_ns);

  // Whether the host of a virtual machine took the CPU in this gap of the calling thread: stolen time covers it, except
  // for less than `tolerated_ns` (load/stolen_time.h). May read a file. Where time is stolen, also true if another thread
  // uses the sensor at this moment: then it is not known who had the CPU.
  bool was_stolen(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t tolerated_ns);

  // The number of looks: a reader that remembers it copies a snapshot only if it has changed.
  std::uint64_t looks() const { return looks_.load(std::memory_order_acquire); }

  // A consistent copy of the last snapshot; all zero before the first look.
  LoadSnapshot last() const;

  // Over the looks at least 10 ms apart, 20 ms where threads of a team slept.
  const CompetitorAverage& competitors() const { return competitors_; }

  // Called when teams are made and when threads sleep, so that a look can distinguish threads of this process from
  // others. A thread counts once for each team that it is in.
  void teams_grew(unsigned threads) { team_threads_.fetch_add(threads, std::memory_order_relaxed); }
  void teams_shrank(unsigned threads) {
    team_threads_.fetch_sub(threads, std::memory_order_relaxed);
  }
  // If its threads are bound, the mask of the thread that looks is not the process's.
  void note_cpus_of_team(unsigned cpus) { team_cpus_.store(cpus, std::memory_order_relaxed); }
  std::uint32_t team_threads() const { return team_threads_.load(std::memory_order_relaxed); }
  void fell_asleep() { team_asleep_.fetch_add(1, std::memory_order_relaxed); }
  void woke_up(int threads) { team_asleep_.fetch_sub(threads, std::memory_order_relaxed); }

  // In the child of a fork: it has one thread, in no team, and the thread that was looking does not exist.
  void after_fork_in_child();

 private:
  static constexpr std::size_t kWords = sizeof(LoadSnapshot) / sizeof(std::uint64_t);
  static constexpr std::size_t kScratch = 4096;  // not on the stack: threads may have small ones

  bool some_asleep() const { return team_asleep_.load(std::memory_order_relaxed) > 0; }
  bool look_if_free(std::uint64_t now_ns, Files how);
  void observe(std::uint64_t now_ns, LoadSnapshot& out);
  void observe_runnable(LoadSnapshot& out);
  void observe_groups(std::uint64_t now_ns, LoadSnapshot& out);
  void observe_pressure(LoadSnapshot& out);
  void begin_stolen();
  void observe_stolen(LoadSnapshot& out);
  void read_stolen(std::uint64_t now_ns);
  long read_source(const char* name, char*& text);

  LoadSources sources_{};
  std::atomic<std::uint64_t> next_look_ns_{0};
  std::atomic<std::uint64_t> looks_{0};
  // Snapshot n is in slot n % 2, so a look disturbs no reader of the last one, not even the reader
  // in a signal handler that interrupted the look.
  std::atomic<std::uint64_t> slots_[2][kWords]{};
  std::atomic<std::uint32_t> team_threads_{0};
  std::atomic<std::int32_t> team_asleep_{0};
  std::atomic<std::uint32_t> team_cpus_{0};  // of the team that looked last
  std::atomic<bool> some_stolen_{false};
  CompetitorAverage competitors_{};
  std::atomic<bool> has_quota_{false};
  std::atomic<std::uint64_t> throttled_at_ns_{0};  // the last look that counted a throttled period

  // From here on only the thread that is looking, or asks what was stolen.
  std::atomic<bool> looking_{false};
  LoadSnapshot current_{};
  CpuGroups groups_{};
  StolenTime stolen_{};
  Files how_ = Files::kOpen;
  std::uint64_t searched_ns_ = 0;
  std::uint64_t averaged_ns_ = 0;
  std::uint64_t counted_ = 0;            // of the groups that the last counts belong to
  std::uint64_t throttled_periods_ = 0;  // the kernel's counts at the last look
  std::uint64_t throttled_ns_ = 0;
  std::uint64_t stalled_us_ = 0;
  bool counted_throttling_ = false;
  bool counted_stalls_ = false;
  char scratch_[kScratch] = {};
};

// The process's own sensor: ready before any constructor ran, never destroyed.
LoadSensor& process_load_sensor();

}  // namespace muster
