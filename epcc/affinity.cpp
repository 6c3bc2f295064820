// See affinity.h.
#include "epcc/affinity.h"

#include <sched.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace epcc {
namespace {

// A cpu_set_t alone holds 1024 CPUs, and the kernel refuses sets smaller than its own.
struct CpuSet {
  std::array<cpu_set_t, 64> chunks{};
  static constexpr std::size_t kBytes = sizeof(chunks);
  static constexpr std::size_t kCpus = kBytes * 8;
};

}  // namespace

std::vector<int> allowed_cpus() {
  CpuSet set;
  if (sched_getaffinity(0, CpuSet::kBytes, set.chunks.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "sched_getaffinity");
  }
  std::vector<int> cpus;
  for (std::size_t cpu = 0; cpu < CpuSet::kCpus; ++cpu) {
    if (CPU_ISSET_S(cpu, CpuSet::kBytes, set.chunks.data())) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

bool pin_to(int cpu) {
  CpuSet set;
  CPU_SET_S(static_cast<std::size_t>(cpu), CpuSet::kBytes, set.chunks.data());
  return sched_setaffinity(0, CpuSet::kBytes, set.chunks.data()) == 0;
}

}  // namespace epcc
