#include "preload/launcher/option_values.h"

#include <cctype>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace muster::launcher {
namespace {

constexpr std::string_view kPrefix = "MUSTER_";

}  // namespace

bool is_valid(const Option& option, const std::string& value) {
  // A NUL would end the environment variable early; argv cannot hold one, but a caller could.
  if (value.find('\0') != std::string::npos) return false;
  const std::string_view name = option.name;
  bool flag = false;
  BarrierKind barrier = BarrierKind::kAuto;
  WaitChoice wait{WaitKind::kAuto, 0};
  YieldKind yield = YieldKind::kAuto;
  ForkJoin fork_join = ForkJoin::kOff;
  std::uint64_t microseconds = 0;
  if (name == "MUSTER") return parse_switch(value.c_str(), flag);
  if (name == "MUSTER_BARRIER") return parse_barrier(value.c_str(), barrier);
  if (name == "MUSTER_WAIT") return parse_wait(value.c_str(), wait);
  if (name == "MUSTER_SLICE") return parse_slice(value.c_str(), microseconds);
  if (name == "MUSTER_PLACE") return parse_place(value.c_str(), flag);
  if (name == "MUSTER_YIELD") return parse_yield(value.c_str(), yield);
  if (name == "MUSTER_FORKJOIN") return parse_fork_join(value.c_str(), fork_join);
  if (name == "MUSTER_WAIT_BASE" || name == "MUSTER_WAIT_COND") {
    return parse_microseconds(value.c_str(), microseconds);
  }
  if (name == "MUSTER_REPORT") return parse_report(value.c_str());
  if (name == "MUSTER_COUNTERS") return parse_counters(value.c_str());
  if (name == "MUSTER_PAPI") return parse_papi(value.c_str());
  if (name == "MUSTER_VERBOSE") return parse_flag(value.c_str(), flag);
  throw std::logic_error("no parser is known for " + std::string(name));
}

std::string flag_of(const Option& option) {
  std::string flag = "--";
  for (const char* at = option.name + kPrefix.size(); *at != '\0'; ++at) {
    flag += *at == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
  }
  return flag;
}

bool has_flag(const Option& option) {
  return std::string_view(option.name).substr(0, kPrefix.size()) == kPrefix;
}

bool is_switch(const Option& option) { return std::strcmp(option.values, "0|1") == 0; }

}  // namespace muster::launcher
