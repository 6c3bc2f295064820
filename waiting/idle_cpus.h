// Whether CPUs that a team does not use were idle for half of a window.
#pragma once

#include <cstdint>

#include "platform/idle_time.h"
#include "waiting/tuning.h"

namespace muster {

// Only for the thread that decides where a team runs.
class IdleCpus {
 public:
  // Reads the idle time, which costs about 15 us, once per window. Until the first window is complete, and if idle
  // times are not available, the answer is that of `unknown`.
  template <class Memory>
  bool look(std::uint64_t now_ns, unsigned except, bool unknown) {
    const std::uint64_t length_ns = now_ns - since_ns_;
    if (since_ns_ != 0 && length_ns < tuning::kWindowNs) return known_ ? idle_ : unknown;
    const std::uint64_t idle_ns = Memory::Scheduler::idle_ns_elsewhere(except);
    known_ = since_ns_ != 0 && length_ns < 4 * tuning::kWindowNs && idle_ns != kIdleTimeUnknown &&
             idle_ns_ != kIdleTimeUnknown;
    idle_ = known_ && (idle_ns - idle_ns_) * 2 > length_ns;
    since_ns_ = now_ns;
    idle_ns_ = idle_ns;
    return known_ ? idle_ : unknown;
  }
  void forget() {
    since_ns_ = 0;
    known_ = false;
  }

 private:
  std::uint64_t since_ns_ = 0;
  std::uint64_t idle_ns_ = kIdleTimeUnknown;
  bool known_ = false;
  bool idle_ = false;
};

}  // namespace muster
