#include "platform/idle_time.h"

#include <atomic>
#include <cstring>

#include "platform/missing.h"
#include "platform/number_text.h"

namespace muster {
namespace {

constexpr const char* kStat = "/proc/stat";
constexpr std::uint64_t kTickNs = 10'000'000;  // USER_HZ is 100 for every program on Linux

// For numbers with a space before each.
bool take_fourth(const char* at, std::uint64_t& value) {
  for (int field = 0; field < 4; ++field) {
    if (*at != ' ') return false;
    ++at;
    if (!take_number(at, value)) return false;
  }
  return true;
}

constinit std::atomic<bool> g_text_in_use{false};

}  // namespace

// Lines "cpuN user nice system idle iowait ...", one per online CPU, after the line with their sum.
std::uint64_t idle_ns_in(const char* text, const AffinityMask& mask, unsigned except) {
  std::uint64_t ticks = 0;
  bool found = false;
  for (const char* line = text; line != nullptr && std::strncmp(line, "cpu", 3) == 0;) {
    const char* at = line + 3;
    std::uint64_t cpu = 0;
    std::uint64_t idle = 0;
    if (take_number(at, cpu) && cpu != except && cpu < AffinityMask::kMaxCpus &&
        mask.has(static_cast<unsigned>(cpu)) && take_fourth(at, idle)) {
      ticks += idle;
      found = true;
    }
    line = std::strchr(line, '\n');
    if (line != nullptr) ++line;
  }
  return found ? ticks * kTickNs : kIdleTimeUnknown;
}

// Read in parts, each cut after its last complete line. The buffer is not on the stack, which may be small; of threads
// that ask at the same time, one gets an answer.
std::uint64_t idle_ns_elsewhere(const AffinityMask& mask, unsigned except, Files how) {
  static char text[4096];
  if (g_text_in_use.exchange(true, std::memory_order_acquire)) return kIdleTimeUnknown;
  std::uint64_t idle_ns = kIdleTimeUnknown;
  long length = 0;
  for (std::size_t offset = 0;;) {
    length = read_part(how, kStat, offset, text, sizeof(text));
    char* end = length > 0 ? std::strrchr(text, '\n') : nullptr;
    if (end == nullptr) break;
    *end = '\0';
    const std::uint64_t in_part = idle_ns_in(text, mask, except);
    if (in_part != kIdleTimeUnknown)
      idle_ns = (idle_ns == kIdleTimeUnknown ? 0 : idle_ns) + in_part;
    const char* last = std::strrchr(text, '\n');
    if (std::strncmp(last != nullptr ? last + 1 : text, "cpu", 3) != 0)
      break;  // no more lines of CPUs
    offset += static_cast<std::size_t>(end - text) + 1;
  }
  g_text_in_use.store(false, std::memory_order_release);
  if (idle_ns == kIdleTimeUnknown) {
    note_missing(Missing::kIdleTime, length < 0 ? static_cast<int>(-length) : 0);
  }
  return idle_ns;
}

void idle_time_after_fork_in_child() { g_text_in_use.store(false, std::memory_order_relaxed); }

void keep_idle_time() { keep_file(kStat); }

}  // namespace muster
