// The parsers of preload/options.h. Shared by libmuster.so and the launcher, hence: C library
// functions only, no allocation, no exceptions, nothing to construct.
#include <cstring>

#include "counters/events.h"
#include "preload/options.h"

namespace muster {
namespace {

bool equal(const char* left, const char* right) { return std::strcmp(left, right) == 0; }

// Sets `out` to true for `yes`, false for `no`.
bool parse_pair(const char* text, const char* yes, const char* no, bool& out) {
  const bool is_yes = equal(text, yes);
  if (!is_yes && !equal(text, no)) return false;
  out = is_yes;
  return true;
}

// Finds `text` among `count` names; -1 where it is none of them.
int index_of(const char* text, const char* const* names, int count) {
  for (int i = 0; i < count; ++i) {
    if (equal(text, names[i])) return i;
  }
  return -1;
}

}  // namespace

bool parse_switch(const char* text, bool& out) { return parse_pair(text, "on", "off", out); }

bool parse_flag(const char* text, bool& out) { return parse_pair(text, "1", "0", out); }

bool parse_barrier(const char* text, BarrierKind& out) {
  const int index = index_of(text, kBarrierNames, kBarrierKinds);
  if (index < 0) return false;
  out = static_cast<BarrierKind>(index);
  return true;
}

// `<n>us`: digits only (strtoull would take a sign, spaces and a wrapped-around negative).
bool parse_microseconds(const char* text, std::uint64_t& out) {
  std::uint64_t value = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9'; ++at) {
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
    if (value > kMaxSpinMicroseconds) return false;
  }
  if (at == text || !equal(at, "us")) return false;
  out = value;
  return true;
}

bool parse_slice(const char* text, std::uint64_t& microseconds) {
  bool automatic = false;
  if (parse_pair(text, "auto", "off", automatic)) {
    microseconds = automatic ? kShortSliceMicroseconds : 0;
    return true;
  }
  std::uint64_t value = 0;
  if (!parse_microseconds(text, value) || value < kShortSliceMicroseconds ||
      value > kLongSliceMicroseconds) {
    return false;
  }
  microseconds = value;
  return true;
}

bool parse_place(const char* text, bool& out) { return parse_pair(text, "auto", "off", out); }

bool parse_yield(const char* text, YieldKind& out) {
  const int index = index_of(text, kYieldNames, kYieldKinds);
  if (index < 0) return false;
  out = static_cast<YieldKind>(index);
  return true;
}

bool parse_fork_join(const char* text, ForkJoin& out) {
  constexpr ForkJoin kChoices[] = {ForkJoin::kAuto, ForkJoin::kOn, ForkJoin::kOff};
  for (const ForkJoin choice : kChoices) {
    if (!equal(text, name_of(choice))) continue;
    out = choice;
    return true;
  }
  return false;
}

bool parse_wait(const char* text, WaitChoice& out) {
  std::uint64_t microseconds = 0;
  if (parse_microseconds(text, microseconds)) {
    out = {WaitKind::kMicroseconds, microseconds};
    return true;
  }
  const int index = index_of(text, kWaitNames, kWaitKinds);
  // The table's `<n>us` stands for a number; written out, it is a mistake.
  if (index < 0 || static_cast<WaitKind>(index) == WaitKind::kMicroseconds) return false;
  out = {static_cast<WaitKind>(index), 0};
  return true;
}

bool parse_counters(const char* text) {
  return strnlen(text, kMaxCounters + 1) <= kMaxCounters && is_event_list(text);
}

bool parse_papi(const char* text) {
  const std::size_t length = strnlen(text, kMaxReportPath + 1);
  return length > 0 && length <= kMaxReportPath;
}

bool parse_report(const char* text) {
  const std::size_t length = strnlen(text, kMaxReportPath + 1);
  if (length == 0 || length > kMaxReportPath) return false;
  for (const char* at = std::strchr(text, '%'); at != nullptr; at = std::strchr(at + 2, '%')) {
    // At the end of the text at[1] is its NUL, which strchr would find in the list below.
    if (at[1] == '\0' || std::strchr("hpr%", at[1]) == nullptr) return false;
  }
  return true;
}

}  // namespace muster
