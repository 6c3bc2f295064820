#include "preload/event_counting.h"

#include "counters/counting.h"
#include "options/settings.h"
#include "preload/message.h"
#include "runtime-hooks/teams/counted_region.h"

namespace muster {

void begin_event_counting() {
  const Settings& in_force = settings();
  if (!in_force.on || in_force.counters == nullptr) return;
  const Events& events = begin_counting(in_force.counters, in_force.papi);
  if (counting()) observe();
  const bool no_papi = events.wants_papi && !events.papi.usable;
  if (no_papi) {
    message("MUSTER_COUNTERS: %s; %s", events.papi.reason.text,
            events.available() > 0 ? "only the kernel's events are counted" : "nothing is counted");
  }
  for (unsigned i = 0; i < events.count; ++i) {
    const Event& event = events.events[i];
    if (event.source != EventSource::kUnavailable) continue;
    if (no_papi && event.of_kernel == nullptr) continue;  // said already
    message("MUSTER_COUNTERS: '%s' is not counted: %s; %s", event.name, event.reason.text,
            events.available() > 0 ? "the others are" : "nothing is");
  }
}

}  // namespace muster
