// The kinds of values that options take. A kind has
//   Value        the type of the setting
//   kMost        the longest text that is accepted
//   values()     what may be written, for people
//   range()      of the number in it, for people; "" where there is none
//   parse()      false for anything but a whole, exact value, and `out` is as before. Case matters.
//
// Times are written in microseconds and kept in nanoseconds. A text is kept as the pointer that was parsed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "options/barrier_names.h"
#include "options/choices.h"
#include "options/event_list.h"
#include "options/wait_names.h"

namespace muster::kind {

namespace detail {

inline constexpr std::size_t kMostOfAWord = 31;
inline constexpr std::size_t kMostOfAPath = 4000;  // below PATH_MAX

template <const auto& kNames>
constexpr std::size_t joined_size() {
  std::size_t size = 0;
  for (const std::string_view name : kNames) size += name.size() + 1;
  return size;
}

// The names with bars between them.
template <const auto& kNames>
inline constexpr auto kJoined = [] {
  std::array<char, joined_size<kNames>()> text{};
  std::size_t at = 0;
  for (const std::string_view name : kNames) {
    if (at != 0) text[at++] = '|';
    for (const char c : name) text[at++] = c;
  }
  return text;
}();

// `<n>us`, digits only, from least to most.
constexpr bool parse_time(const char* text, std::uint64_t least_us, std::uint64_t most_us,
                          std::uint64_t& out_ns) {
  std::uint64_t us = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9'; ++at) {
    us = us * 10 + static_cast<std::uint64_t>(*at - '0');
    if (us > most_us) return false;
  }
  if (at == text || std::string_view(at) != "us" || us < least_us) return false;
  out_ns = us * 1000;
  return true;
}

}  // namespace detail

// One of a list of names; the value is its place in the list.
template <class Enum, const auto& kNames>
struct OneOf {
  using Value = Enum;
  static constexpr std::size_t kMost = detail::kMostOfAWord;
  static constexpr const char* values() { return detail::kJoined<kNames>.data(); }
  static constexpr const char* range() { return ""; }
  static constexpr bool parse(const char* text, Value& out) {
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
      if (std::string_view(text) != kNames[i]) continue;
      out = static_cast<Value>(i);
      return true;
    }
    return false;
  }
};

inline constexpr const char* kOffOn[] = {"off", "on"};
inline constexpr const char* kOffAuto[] = {"off", "auto"};
inline constexpr const char* kZeroOne[] = {"0", "1"};

using OnOff = OneOf<bool, kOffOn>;
using AutoOff = OneOf<bool, kOffAuto>;
using Flag = OneOf<bool, kZeroOne>;  // the launcher's flag takes no value
using BarrierName = OneOf<BarrierKind, kBarrierNames>;
using YieldName = OneOf<YieldKind, kYieldNames>;
using ForkJoinName = OneOf<ForkJoin, kForkJoinNames>;
using AfterForkName = OneOf<AfterFork, kAfterForkNames>;

// Up to a minute.
struct Time {
  using Value = std::uint64_t;
  static constexpr std::size_t kMost = detail::kMostOfAWord;
  static constexpr std::uint64_t kMostUs = 60ULL * 1000 * 1000;
  static constexpr const char* values() { return "<n>us"; }
  static constexpr const char* range() { return "n from 0 to 60000000"; }
  static constexpr bool parse(const char* text, Value& out) {
    return detail::parse_time(text, 0, kMostUs, out);
  }
};

// A waiting policy: a name, or a time to spin.
struct Wait {
  struct Value {
    WaitKind kind = WaitKind::kAuto;
    std::uint64_t fixed_ns = 0;  // with WaitKind::kMicroseconds
  };
  static constexpr std::size_t kMost = detail::kMostOfAWord;
  static constexpr const char* values() { return detail::kJoined<kWaitNames>.data(); }
  static constexpr const char* range() { return Time::range(); }
  static constexpr bool parse(const char* text, Value& out) {
    std::uint64_t fixed_ns = 0;
    WaitKind kind = WaitKind::kMicroseconds;
    if (!Time::parse(text, fixed_ns)) {
      // The table's `<n>us` stands for a number; as a name it is a mistake.
      if (!OneOf<WaitKind, kWaitNames>::parse(text, kind) || kind == WaitKind::kMicroseconds) {
        return false;
      }
    }
    out = {kind, fixed_ns};
    return true;
  }
};

// A time slice, within the kernel's limits. 0: off.
struct Slice {
  using Value = std::uint64_t;
  static constexpr std::size_t kMost = detail::kMostOfAWord;
  static constexpr std::uint64_t kLeastUs = 100;
  static constexpr std::uint64_t kMostUs = 100'000;
  // `auto`. On 4 to 32 simulated CPUs 200 to 500 us are better than 100 and 1,000 (docs/results/notes/scaling.md); on
  // two real ones 200 to 500 us make no difference.
  static constexpr std::uint64_t kAutoNs = 300'000;
  static constexpr const char* values() { return "auto|off|<n>us"; }
  static constexpr const char* range() { return "n from 100 to 100000"; }
  static constexpr bool parse(const char* text, Value& out) {
    bool automatic = false;
    if (!AutoOff::parse(text, automatic)) {
      return detail::parse_time(text, kLeastUs, kMostUs, out);
    }
    out = automatic ? kAutoNs : 0;
    return true;
  }
};

struct Path {
  using Value = const char*;  // null: not set
  static constexpr std::size_t kMost = detail::kMostOfAPath;
  static constexpr const char* values() { return "FILE"; }
  static constexpr const char* range() { return ""; }
  static constexpr bool parse(const char* text, Value& out) {
    if (*text == '\0') return false;
    out = text;
    return true;
  }
};

// Where a report goes, before its % patterns are expanded.
struct ReportPath {
  using Value = const char*;
  static constexpr std::size_t kMost = detail::kMostOfAPath;
  static constexpr const char* values() { return "stderr|FILE.txt|FILE.json|FILE.csv"; }
  static constexpr const char* range() { return ""; }
  // Why a path is refused; "": it is not.
  static constexpr const char* problem(std::string_view text) {
    for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 2)) {
      if (at + 1 == text.size() || std::string_view("hpr%").find(text[at + 1]) == text.npos) {
        return "no such % pattern";
      }
    }
    for (const std::string_view name :
         {"stdout", "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
      if (text == name) return "standard output is the program's";
    }
    return has_other_format(text) ? "no such format" : "";
  }
  static constexpr bool parse(const char* text, Value& out) {
    return *problem(text) == '\0' && Path::parse(text, out);
  }

 private:
  // A suffix that names a format, and none of ours: letters and digits behind the last dot. A name without a suffix, or
  // with a number or a % pattern as its suffix, is a text.
  static constexpr bool has_other_format(std::string_view text) {
    // Not with substr(), which may throw: libmuster.so has no exceptions.
    std::string_view name = text;
    name.remove_prefix(text.rfind('/') + 1);
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos || dot == 0 || dot + 1 == name.size()) return false;
    std::string_view suffix = name;
    suffix.remove_prefix(dot + 1);
    for (const std::string_view format : {"txt", "json", "csv"}) {
      if (suffix == format) return false;
    }
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (!is_letter(suffix.front())) return false;
    for (const char c : suffix) {
      if (!is_letter(c) && (c < '0' || c > '9')) return false;
    }
    return true;
  }
};

// The same for a timeline.
struct TimelinePath : ReportPath {
  static constexpr const char* values() { return "FILE.json"; }
};

struct EventList {
  using Value = const char*;
  static constexpr std::size_t kMost = kMostEvents * (kMostEventName + 1);
  static constexpr const char* values() { return "EVENT,..."; }
  static constexpr const char* range() { return ""; }
  static constexpr bool parse(const char* text, Value& out) {
    if (!is_event_list(text)) return false;
    out = text;
    return true;
  }
};

}  // namespace muster::kind
