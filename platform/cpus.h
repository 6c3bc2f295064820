// The CPUs that a thread may use, and the one it runs on.
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "platform/missing.h"
#include "platform/optional_calls.h"

namespace muster {

inline constexpr unsigned kNoCpu = ~0U;

// Whether the number of the CPU may take a system call: everywhere but where the vDSO has it.
#if defined(__x86_64__)
inline constexpr bool kCpuByCall = false;
#else
inline constexpr bool kCpuByCall = true;
#endif

namespace detail {
// Counts among the first kMost CPUs. 0 if the machine has more.
template <unsigned kMost>
__attribute__((noinline)) unsigned count_allowed_cpus() {
  unsigned long mask[kMost / (8 * sizeof(unsigned long))];
  std::memset(mask, 0, sizeof(mask));
  if (optional_call(SYS_sched_getaffinity, 0, sizeof(mask), mask) <= 0) return 0;
  unsigned count = 0;
  for (const unsigned long word : mask) count += static_cast<unsigned>(__builtin_popcountl(word));
  return count;
}
}  // namespace detail

// The number of CPUs in the calling thread's affinity mask, at least 1. One system call, about 0.2 us. Ignores cgroup
// quotas: a quota limits time, not CPUs.
inline unsigned allowed_cpus() {
  const int saved = errno;
  static std::atomic<unsigned> last{1};
  unsigned count =
      detail::count_allowed_cpus<1024>();  // some stacks are too small for a larger mask
  if (count == 0) count = detail::count_allowed_cpus<8192>();  // the kernel's own limit
  if (count == 0) {
    note_missing(Missing::kGetAffinity, errno);
    // sysconf opens files, or makes the same call.
    const long online =
        errno == ECANCELED ? last.load(std::memory_order_relaxed) : sysconf(_SC_NPROCESSORS_ONLN);
    count = online > 0 ? static_cast<unsigned>(online) : 1;
  }
  last.store(count, std::memory_order_relaxed);
  errno = saved;
  return count;
}

// The CPU that the caller runs on; it may leave it at any time. About 2 ns where the C library registers restartable
// sequences (glibc 2.35 and later), otherwise 20 ns. kNoCpu if the kernel does not provide it. The number may exceed
// those known at the start of the process: CPUs can be hot-plugged.
inline unsigned current_cpu() {
  if (kCpuByCall && times_missing(Missing::kCurrentCpu) != 0) return kNoCpu;
  const int saved = errno;
  const int cpu = sched_getcpu();
  if (cpu >= 0) [[likely]]
    return static_cast<unsigned>(cpu);
  note_missing(Missing::kCurrentCpu, errno);
  errno = saved;
  return kNoCpu;
}

}  // namespace muster
