// Something that wants to know where a thread's waits begin and end: to read counters there. None
// where nobody counts, which costs a wait one branch at each end.
#pragma once

namespace muster {

struct WaitMeter {
  void (*wait_begins)(WaitMeter& self);
  void (*wait_ends)(WaitMeter& self);
};

}  // namespace muster
