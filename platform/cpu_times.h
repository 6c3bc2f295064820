// The times of each CPU, from /proc/stat.
//
// One read of the file: about 15 us on two CPUs, more on large machines. Times are in ns since the machine started, and
// advance in steps of 10 ms: two readings of a time that differ by d are less than 10 ms off what passed between them.
//
// Stolen time ("steal"): the hypervisor ran something else while the CPU had work to do. It is in none of the CPU's
// other times. A hypervisor that does not report it leaves it at zero.
#pragma once

#include <cstdint>

#include "platform/kept_files.h"

namespace muster {

inline constexpr const char* kCpuTimesFile = "/proc/stat";
inline constexpr std::uint64_t kCpuTimesStepNs =
    10'000'000;  // USER_HZ is 100 for every program on Linux

struct CpuTimes {
  unsigned cpu = 0;
  std::uint64_t used_ns = 0;  // by processes, and by the kernel for them
  std::uint64_t idle_ns = 0;
  std::uint64_t stolen_ns = 0;
  bool has_stolen = false;  // the kernel has that column: Linux 2.6.11 and later
};

namespace detail {
using VisitCpuTimes = void (*)(void* context, const CpuTimes& times);

unsigned visit_cpu_times_in(const char* text, VisitCpuTimes visit, void* context);
long visit_cpu_times(Files how, const char* path, VisitCpuTimes visit, void* context);

template <class Visit>
void visit_with(void* context, const CpuTimes& times) {
  (*static_cast<Visit*>(context))(times);
}
}  // namespace detail

// Calls visit(CpuTimes) for each online CPU in a text of /proc/stat. Returns how many there were.
template <class Visit>
unsigned visit_cpu_times_in(const char* text, Visit visit) {
  return detail::visit_cpu_times_in(text, &detail::visit_with<Visit>, &visit);
}

// The same, from the file. Returns minus the error number if it cannot be read, and -EBUSY, with nothing visited, while
// another thread reads it: no thread waits for another one here. 0: its format is unknown.
template <class Visit>
long visit_cpu_times(Files how, const char* path, Visit visit) {
  return detail::visit_cpu_times(how, path, &detail::visit_with<Visit>, &visit);
}

// For the child of a fork: a read that was under way in a thread of the parent does not continue here.
void cpu_times_after_fork_in_child();

}  // namespace muster
