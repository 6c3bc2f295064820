#include "load/stolen_time.h"

#include <algorithm>
#include <cerrno>

namespace muster {

// `most_ns`: more cannot have been stolen from one CPU since the last read. The count of a machine that moved to another
// host may jump.
void StolenTime::credit(const CpuTimes& times, std::uint64_t most_ns) {
  if (times.cpu >= AffinityMask::kMaxCpus) return;
  Account& account = accounts_[times.cpu];
  const bool counts = counted_.has(times.cpu);
  if (account.open) {
    // Less than before: it was reset, or the kernel corrected it.
    const std::uint64_t growth =
        times.stolen_ns > account.stolen_ns ? times.stolen_ns - account.stolen_ns : 0;
    const std::uint64_t stolen_ns = std::min(growth, most_ns);
    account.left_ns = std::min(account.left_ns, most_left_ns()) + stolen_ns;
    if (counts) total_ns_ += stolen_ns;
  } else if (counts) {
    before_ns_ += times.stolen_ns;
  }
  account.stolen_ns = times.stolen_ns;
  account.open = true;
}

void StolenTime::read(Files how, const char* path, std::uint64_t now_ns) {
  // A clock that was set back shows no time that has passed.
  const std::uint64_t passed_ns = now_ns > read_ns_ ? now_ns - read_ns_ : 0;
  bool reported = false;
  const long cpus = visit_cpu_times(how, path, [&](const CpuTimes& times) {
    if (!times.has_stolen) return;
    reported = true;
    credit(times, passed_ns + kCpuTimesStepNs);
  });
  if (cpus == -EBUSY) return;
  known_ = reported;
  read_ns_ = now_ns;
  const std::uint64_t for_cpus_ns =
      cpus > 0 ? static_cast<std::uint64_t>(cpus) * kReadEveryNsForACpu : 0;
  read_every_ns_ = any() ? std::max(kReadEveryNs, for_cpus_ns) : kReadEveryNsWithoutAny;
}

bool StolenTime::explains(unsigned cpu, std::uint64_t begin_ns, std::uint64_t end_ns,
                          std::uint64_t tolerated_ns) {
  if (cpu >= AffinityMask::kMaxCpus) return false;
  Account& account = accounts_[cpu];
  const bool shared = begin_ns < account.to_ns && account.from_ns < end_ns;
  const std::uint64_t shared_ns =
      shared ? std::min(end_ns, account.to_ns) - std::max(begin_ns, account.from_ns) : 0;
  const std::uint64_t missing_ns = end_ns - begin_ns - shared_ns;
  const bool explained = missing_ns < account.left_ns + tolerated_ns;
  if (explained) {
    account.left_ns -= std::min(missing_ns, account.left_ns);
    account.from_ns = shared ? std::min(begin_ns, account.from_ns) : begin_ns;
    account.to_ns = shared ? std::max(end_ns, account.to_ns) : end_ns;
    ++gaps_;
  }
  account.left_ns = std::min(account.left_ns, most_left_ns());
  return explained;
}

}  // namespace muster
