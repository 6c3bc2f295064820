#include "platform/idle_time.h"

#include <cstring>

#include "platform/missing.h"
#include "platform/read_file.h"

namespace muster {
namespace {

constexpr std::uint64_t kTickNs = 10'000'000;  // USER_HZ is 100 for every program on Linux

// Reads digits at `at` and moves behind them.
std::uint64_t number(const char*& at) {
  std::uint64_t value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  return value;
}

}  // namespace

// Lines "cpuN user nice system idle iowait ...", one a CPU that is online, after the sum of all.
std::uint64_t idle_ns_in(const char* text, const AffinityMask& mask, unsigned except) {
  std::uint64_t ticks = 0;
  bool found = false;
  for (const char* line = text; line != nullptr && std::strncmp(line, "cpu", 3) == 0;) {
    const char* at = line + 3;
    if (*at >= '0' && *at <= '9') {
      const std::uint64_t cpu = number(at);
      for (unsigned field = 0; *at == ' ' && field < 4; ++field) {
        ++at;
        const std::uint64_t value = number(at);
        if (field == 3 && mask.has(static_cast<unsigned>(cpu)) && cpu != except) {
          ticks += value;
          found = true;
        }
      }
    }
    line = std::strchr(line, '\n');
    if (line != nullptr) ++line;
  }
  return found ? ticks * kTickNs : kIdleTimeUnknown;
}

std::uint64_t idle_ns_elsewhere(const AffinityMask& mask, unsigned except) {
  char text[16384];  // the CPU lines of some 150 CPUs: those beyond are not looked at
  const long length = read_file("/proc/stat", text, sizeof(text));
  const int error = length < 0 ? static_cast<int>(-length) : 0;
  const std::uint64_t idle_ns = idle_ns_in(text, mask, except);
  if (idle_ns == kIdleTimeUnknown) note_missing(Missing::kIdleTime, error);
  return idle_ns;
}

}  // namespace muster
