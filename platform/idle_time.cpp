#include "platform/idle_time.h"

#include <cstring>

#include "platform/missing.h"
#include "platform/number_text.h"

namespace muster {
namespace {

constexpr const char* kStat = "/proc/stat";
constexpr std::uint64_t kTickNs = 10'000'000;  // USER_HZ is 100 for every program on Linux

// Of numbers with a space before each.
bool take_fourth(const char* at, std::uint64_t& value) {
  for (int field = 0; field < 4; ++field) {
    if (*at != ' ') return false;
    ++at;
    if (!take_number(at, value)) return false;
  }
  return true;
}

}  // namespace

// Lines "cpuN user nice system idle iowait ...", one a CPU that is online, after the sum of all.
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

std::uint64_t idle_ns_elsewhere(const AffinityMask& mask, unsigned except, Files how) {
  char text[16384];  // the CPU lines of some 150 CPUs: those beyond are not looked at
  const long length = read_file(how, kStat, text, sizeof(text));
  const int error = length < 0 ? static_cast<int>(-length) : 0;
  const std::uint64_t idle_ns = idle_ns_in(text, mask, except);
  if (idle_ns == kIdleTimeUnknown) note_missing(Missing::kIdleTime, error);
  return idle_ns;
}

void keep_idle_time() { keep_file(kStat); }

}  // namespace muster
