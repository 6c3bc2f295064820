// A listener for the begin and the end of a thread's waits, which reads counters there or records a timeline. Without
// one, a wait pays one branch at each end.
#pragma once

#include <cstdint>

namespace muster {

struct WaitStats;

struct WaitMeter {
  // The thread's counts as they are at that moment.
  void (*wait_begins)(WaitMeter& self, const WaitStats& stats);
  void (*wait_ends)(WaitMeter& self, const WaitStats& stats);
  // Within a wait, on the word that all threads sleep on. Null: not listened to.
  void (*sleep_begins)(WaitMeter& self) = nullptr;
  void (*sleep_ends)(WaitMeter& self) = nullptr;
  // Before an arrival, in another process's turn. Called afterwards.
  void (*slept_in_turn)(WaitMeter& self, std::uint64_t begin_ns, std::uint64_t end_ns) = nullptr;
};

}  // namespace muster
