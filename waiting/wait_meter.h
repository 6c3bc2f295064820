// A listener for the begin and the end of a thread's waits, which reads counters there. Without one, a wait pays one
// branch at each end.
#pragma once

namespace muster {

struct WaitMeter {
  void (*wait_begins)(WaitMeter& self);
  void (*wait_ends)(WaitMeter& self);
};

}  // namespace muster
