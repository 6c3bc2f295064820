// What the load sensor saw at one look: plain figures, copied as a whole.
#pragma once

#include <cstdint>
#include <type_traits>

namespace muster {

// Where the figures come from. What could not be read has its bit in LoadSnapshot::unavailable.
enum class LoadSource : std::uint32_t {
  kRunnable = 1,    // /proc/loadavg, fourth field
  kGroups = 2,      // /proc/self/cgroup, /proc/self/mountinfo and the folder they lead to
  kQuota = 4,       // cpu.max or cpu.cfs_quota_us: unreadable or no number in them
  kThrottling = 8,  // cpu.stat of the groups that have a quota
  kPressure = 16,   // /proc/pressure/cpu
  kStolen = 32,     // /proc/stat, eighth column
};

struct LoadSourceName {
  LoadSource source;
  const char* name;
  const char* what;    // for messages: what is missing
  const char* effect;  // and the effect of that
};
inline constexpr LoadSourceName kLoadSourceNames[] = {
    {LoadSource::kRunnable, "runnable", "/proc/loadavg", "runnable threads unknown"},
    {LoadSource::kGroups, "cgroup", "cgroup files", "no quota is seen"},
    {LoadSource::kQuota, "quota", "cgroup quota", "no quota is seen"},
    {LoadSource::kThrottling, "throttling", "cgroup cpu.stat", "throttling looks like competitors"},
    {LoadSource::kPressure, "pressure", "/proc/pressure/cpu", "CPU pressure unknown"},
    {LoadSource::kStolen, "stolen", "stolen time", "stolen time looks like competitors"}};

struct LoadSnapshot {
  std::uint64_t taken_ns = 0;  // the caller's clock; 0 before the first look
  std::uint64_t looks = 0;
  std::uint64_t throttled_periods = 0;  // since the first look, over all groups with a quota
  std::uint64_t throttled_ns = 0;       // the throttled time, summed over the CPUs of a group
  // Periods before the first look, since the groups were created.
  std::uint64_t throttled_before = 0;
  // Since the first look: time in which some thread of the machine waited for a CPU.
  std::uint64_t stalled_us = 0;
  // Taken by the host from the CPUs that were allowed at the first look (load/stolen_time.h), since then,
  std::uint64_t stolen_ns = 0;
  std::uint64_t stolen_before_ns = 0;  // and before it, since the machine started
  std::uint64_t stolen_gaps = 0;       // gaps that stolen time explains
  std::uint32_t allowed_cpus = 0;      // of the thread that looked; of its team if bound
  std::uint32_t quota_millicpus = 0;   // the tightest of all groups; 0 = none
  std::uint32_t runnable = 0;       // threads of the whole machine, including the one that looked
  std::uint32_t most_runnable = 0;  // the most of any look
  std::uint32_t team_threads = 0;   // threads of this process that are in teams
  std::uint32_t team_asleep = 0;    // those of them that slept at the look
  std::uint32_t unavailable = 0;    // LoadSource bits
  std::uint32_t unused = 0;

  bool has(LoadSource source) const {
    return (unavailable & static_cast<std::uint32_t>(source)) == 0;
  }

  // Threads of this process that may be running: those in teams and not asleep, and at least the one that looked.
  std::uint32_t running_here() const {
    const std::uint32_t awake = team_threads > team_asleep ? team_threads - team_asleep : 0;
    return awake > 1 ? awake : 1;
  }

  // Runnable threads of other processes. Too few if a teammate is blocked in the program's code: it counts as running
  // and hides a competitor. Too many if one has just fallen asleep (LoadSensor::look). 0 if unknown.
  std::uint32_t competitors() const {
    return has(LoadSource::kRunnable) && runnable > running_here() ? runnable - running_here() : 0;
  }

  // CPUs that the process can use on average, by mask and quota, in thousandths.
  std::uint32_t usable_millicpus() const {
    const std::uint32_t by_mask = allowed_cpus * 1000;
    return quota_millicpus != 0 && quota_millicpus < by_mask ? quota_millicpus : by_mask;
  }
};

static_assert(std::is_trivially_copyable_v<LoadSnapshot> && sizeof(LoadSnapshot) % 8 == 0);

}  // namespace muster
