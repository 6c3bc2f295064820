#include "platform/cpu_times.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include "platform/number_text.h"

namespace muster {
namespace {

constinit std::atomic<bool> g_text_in_use{false};

// "cpuN user nice system idle iowait irq softirq steal ...": the first four are in every kernel. The line without a
// number, the sum of all CPUs, is none of them.
bool take_cpu_times(const char* line, CpuTimes& out) {
  constexpr unsigned kIdle = 4;
  constexpr unsigned kStolen = 8;
  const char* at = line + 3;
  std::uint64_t cpu = 0;
  if (!take_number(at, cpu) || cpu > 0xFFFF'FFFF) return false;
  out = {.cpu = static_cast<unsigned>(cpu)};
  for (unsigned field = 1; field <= kStolen; ++field) {
    std::uint64_t ticks = 0;
    if (*at != ' ' || !take_number(++at, ticks)) return field > kIdle;
    if (field < kIdle) out.used_ns += ticks * kCpuTimesStepNs;  // user, nice, system
    if (field == kIdle) out.idle_ns = ticks * kCpuTimesStepNs;
    if (field == kStolen) out.stolen_ns = ticks * kCpuTimesStepNs;
  }
  out.has_stolen = true;
  return true;
}

}  // namespace

namespace detail {

// One line per online CPU, after the line with their sum.
unsigned visit_cpu_times_in(const char* text, VisitCpuTimes visit, void* context) {
  unsigned count = 0;
  for (const char* line = text; line != nullptr && std::strncmp(line, "cpu", 3) == 0;) {
    CpuTimes times;
    if (take_cpu_times(line, times)) {
      visit(context, times);
      ++count;
    }
    line = std::strchr(line, '\n');
    if (line != nullptr) ++line;
  }
  return count;
}

// Read in parts, each cut after its last complete line. The buffer is not on the stack, which may be small.
long visit_cpu_times(Files how, const char* path, VisitCpuTimes visit, void* context) {
  static char text[4096];
  if (g_text_in_use.exchange(true, std::memory_order_acquire)) return -EBUSY;
  long count = 0;
  for (std::size_t offset = 0;;) {
    const long length = read_part(how, path, offset, text, sizeof(text));
    if (length < 0 && count == 0) count = length;
    char* end = length > 0 ? std::strrchr(text, '\n') : nullptr;
    if (end == nullptr) break;
    *end = '\0';
    count += visit_cpu_times_in(text, visit, context);
    const char* last = std::strrchr(text, '\n');
    if (std::strncmp(last != nullptr ? last + 1 : text, "cpu", 3) != 0)
      break;  // no more lines of CPUs
    offset += static_cast<std::size_t>(end - text) + 1;
  }
  g_text_in_use.store(false, std::memory_order_release);
  return count;
}

}  // namespace detail

void cpu_times_after_fork_in_child() { g_text_in_use.store(false, std::memory_order_relaxed); }

}  // namespace muster
