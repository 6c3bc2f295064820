// MUSTER_COUNTERS: begins to count events when the settings have been read.
#pragma once

namespace muster {

// Begins to count the events of the settings. One line on stderr for each that is unavailable.
void begin_event_counting();

}  // namespace muster
